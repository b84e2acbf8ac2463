"""Hessian products: second derivatives of measures along a direction that is given."""
