# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the HTML page, as plain values for templates/report.html."""
