"""The site: `make docs` assembles its pages (docs/site/assemble.py), then Sphinx reads this."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "site"))

import matplotlib  # noqa: E402

import medoids  # noqa: E402

matplotlib.use("Agg")

project = "medoids"
author = copyright = "The medoids developers"
version = release = medoids.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]

# Pages.
myst_enable_extensions = ["colon_fence", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
highlight_language = "default"
smartquotes = False
default_role = "code"
pygments_style = "friendly"

# The reference: every public name, from `__all__` (docs/site/assemble.py writes its list).
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
templates_path = [str(DOCS / "site" / "templates")]

# Examples are run in the build, on small data unless $MEDOIDS_DATA has more.
sphinx_gallery_conf = {
    "examples_dirs": [str(DOCS.parent / "examples")],
    "gallery_dirs": ["examples"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",
    "example_extensions": {".py"},
    "within_subsection_order": "sitegallery.by_rank",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "only_warn_on_example_error": False,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "plot_gallery": os.environ.get("DOCS_EXAMPLES", "1") != "0",
    "copyfile_regex": r"",
    "capture_repr": (),
    "nested_sections": False,
}

# The theme. All it needs is in the folder: no font, script or search from a network.
html_theme = "pydata_sphinx_theme"
html_title = "medoids"
html_static_path = [str(DOCS / "site" / "static")]
html_css_files = ["site.css"]
html_logo = str(DOCS / "site" / "static" / "logo.svg")
html_favicon = str(DOCS / "site" / "static" / "logo.svg")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# Summaries of search results are fetched, which a browser refuses to pages in a folder.
html_show_search_summary = False
html_theme_options = {
    "logo": {"text": "medoids"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "explorer": []},
}
html_sidebars = {"index": [], "explorer": [], "changelog": [], "contributing": []}
html_context = {"default_mode": "auto"}


def setup(app):
    """What was written for this build: the explorer pages, and a search to step through."""
    app.config.html_extra_path = [str(Path(app.srcdir) / "extra")]
    app.config.html_static_path.append(str(Path(app.srcdir) / "recorded"))
