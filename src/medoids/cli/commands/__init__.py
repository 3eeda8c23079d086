"""A file for each command, and what several of them share; start at `cluster`.

`fitting` runs a fit that is watched, `choose` finds the metric for a kind of data, and
`earlier` brings back the medoids of a result. It may import `readers` and `output`, which know
nothing of it.
"""
