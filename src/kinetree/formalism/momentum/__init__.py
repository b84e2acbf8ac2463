"""Momentum of composite bodies, and what is made of it.

| module | holds |
|---|---|
| composites | momentum of the links beyond each joint and how it depends on their turning |
| coriolis | the matrix C of M qdd + C qd + gravity = tau |
| centroidal | momentum about the centre of mass, its matrix and their rates |
"""
