# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables that people paste in mailing-list threads, in the shape that suits what was measured, or in the one that is asked for."""

import importlib

SHAPES = ("bonnie", "compact", "integrity")  # the first that suits is taken


def render(report, shape=None):
    modules = [importlib.import_module(f"threads.{name}") for name in SHAPES if shape in (None, name)]
    return next(module for module in modules if shape or module.suits(report)).render(report)
