"""Equations for people: their order, symbols, MathML."""
