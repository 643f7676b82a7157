# SPDX-License-Identifier: GPL-2.0-or-later
"""What every page has: templates that escape, one style, one script that its policy names by its hash."""

import base64
import hashlib
import os

import jinja2
import markupsafe

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")


def read(name):
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
        return file.read()


def render(template, **values):
    """TEMPLATE with VALUES, every one of which is escaped; a name that the template misspells is an error."""
    loader = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    script = read("page.js")
    return loader.get_template(template).render(
        script=markupsafe.Markup(script), style=markupsafe.Markup(read("page.css")),
        script_hash=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"), **values)
