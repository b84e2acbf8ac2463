"""Forces: what force elements, wrenches and laws do to links.

| module | holds |
|---|---|
| force_writer | what a kind of force may ask, however the motion of bodies is known |
| link_forces | motions of points on links, wrenches on links, efforts in joints |
"""
