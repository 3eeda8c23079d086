"""The explorer page: one HTML file that shows the clusters (extra `report`).

Start at `_page`, which gathers what the page carries, fills the template (`page/`, by `_render`)
and writes it. `_contents` says what a row is drawn as, with a file for each kind; `_rows` and
`_clusters` what is known of them. It takes a fitted estimator by its public face and imports
neither it nor any engine: `medoids.plot`, and modules of names and records, are all it needs.
"""

from ._page import write

__all__ = ["write"]
