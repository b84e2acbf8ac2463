"""Functions in LLVM IR: sine and cosine, arc tangent, tables."""
