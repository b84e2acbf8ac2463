"""Many evaluations at once: SIMD lanes, packing, outputs copied."""
