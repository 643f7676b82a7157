# SPDX-License-Identifier: GPL-2.0-or-later
"""The shapes of the thread format: one module each, with render(report) -> str and suits(report) -> bool."""
