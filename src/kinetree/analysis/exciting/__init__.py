"""Motions that excite parameters: Fourier series, what they tell, what they may not do."""
