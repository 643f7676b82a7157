# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pages of other documents share: reading them, the page's own style and policy."""

import json
import os

import jinja2
import markupsafe

from common.load import Problem

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")


def load(path, module):
    """The document in PATH, which must be of the module's format and version."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(f"{path} is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != module.FORMAT:
        raise Problem(f"{path} is not of the format {module.FORMAT}")
    if document.get("version") != module.VERSION:
        raise Problem(f"{path} has version {document.get('version')}, this program reads version {module.VERSION}")
    return document


def page(template, **values):
    """TEMPLATE with everything escaped; a name that it misspells is an error."""
    loader = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
                                trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    style = ""
    for name in ("page.css", "document.css"):
        with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
            style += file.read()
    return loader.get_template(template).render(style=markupsafe.Markup(style), **values)
