"""The C library SUNDIALS, found and called."""
