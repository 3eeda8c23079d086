"""The methods: each a function of its settings that leaves an engine at its medoids.

A file for each, and a row in `table.py`; `loops.py` has the two loops of PAM (start there),
`starts.py` the ways to begin, `monitor.py` the history and the progress bar. They ask an engine
through `medoids.engines.protocol`, and search with `medoids.search`; no array of the data's length
is seen here, but in what methods that look at all distances ask of an engine's `Matrix`.
"""
