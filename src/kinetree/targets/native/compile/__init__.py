"""From tapes to machine code: schedule, plan, layout, IR text, LLVM, kernels."""
