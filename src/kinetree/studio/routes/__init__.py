"""Requests and who answers them."""
