"""The command line (extra `cli`), on top of the public estimator.

Start at `app`, which has a function for each command, and `run`, which calls it and turns
errors into one line; `options` says each option once. Then `commands` does the work: it reads
with `readers`, fits `medoids.KMedoids`, and shows and writes with `output`.

Of the package it imports what users have (`medoids`, `medoids.plot`, `medoids.datasets`),
`_names`, `_history`, `_silhouette` and what looks like a tree; no engine, search or method.
"""
