"""Rewrite rules as tables: each row carries its example, and the example is a test.

`functions`: rules of elementary functions, by head.  `trig`: identities between two terms of a sum
and within a product.  Sums and products themselves are normalised by the collectors in `node`.

Direction, decided once: signs and numeric factors move outward; angles merge (a sum of products of
sines and cosines becomes the sine or cosine of one angle); nothing is ever expanded in the end.
"""
