"""Systems of equations in LLVM IR: substitution, elimination, Newton's method."""
