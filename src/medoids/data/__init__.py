"""What the user gave, checked, and in the form that its dissimilarity needs.

`kinds.read` makes one of four kinds of data: dense rows, sparse rows, a matrix of distances,
objects. They know what they hold, not how it is computed with: an engine makes points of them.

It imports `medoids.dissimilarities` and the floor (`_types`, `_checks`, `_threads`), and no
engine. Start with `kinds`.
"""
