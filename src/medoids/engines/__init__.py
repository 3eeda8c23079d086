"""Engines: where the data lives, and what searches and methods ask of it.

`protocol.py` is the seam (start there): what every engine offers. `cpu` has threads and kernels;
`reference.py` is the same in plain NumPy, to be read and to be tested against. Engines import
the data and the dissimilarities; nothing here knows a search or a method.
"""
