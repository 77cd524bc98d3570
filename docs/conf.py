"""Sphinx configuration. Built by ./dev docs and by the tox environment of that name, with warnings as errors."""

project = "GE"
author = "The GE authors"
copyright = "the GE authors"
release = "0.1.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "GE"

# Single backquotes name code in docstrings.
default_role = "code"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # else a field that is described twice is a duplicate
# Names of the private layer in annotations have no page of their own.
nitpicky = False
suppress_warnings = ["ref.python"]
