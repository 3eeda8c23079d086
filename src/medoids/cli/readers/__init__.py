"""From a file to what `KMedoids.fit` takes; start at `read`, which has the table of formats.

`source` is a file before it is read, `inputs` what comes out. A new format is a row in
`formats`, and a function here. It may import `problem` from the command line, and nothing else
of it.
"""
