"""Distances that are kept, along one fixed random order of the references.

`Columns` holds those from all arms to the first references, `Levels` those from some arms to
further stretches of the order, `Rows` those from a few arms to all points, `ExactRows` a few of
these in float64. Start with `cache.py`, which gives each its share of the memory. Imports the
points and the kernels of this engine, and the floor.
"""
