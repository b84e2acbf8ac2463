"""Pictures: a mechanism animated in one self-contained page, curves of a run.

The page is data written here plus the viewer of web/viewer, built once into the folder bundle.
"""
