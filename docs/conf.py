"""Sphinx configuration. Built by ./dev docs and by the tox environment of that name, with warnings as errors."""

import importlib
from typing import Any

from sphinx.util import logging

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

# Every public name of these modules must have an entry.
public_modules = (
    "ge.graph",
    "ge.es",
    "ge.onnx",
    "ge.error",
    "ge.passes",
    "ge.passes.bootstrap",
    "ge.partition",
    "ge.runtime",
)


def check_public_names(app: Any, env: Any) -> None:
    """Warn, which fails the build, of public names without an entry."""
    known = set(env.get_domain("py").objects)
    for module in public_modules:
        missing = [name for name in importlib.import_module(module).__all__ if f"{module}.{name}" not in known]
        if missing:
            logging.getLogger(__name__).warning("%s: no entry for %s", module, ", ".join(missing))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("env-check-consistency", check_public_names)
