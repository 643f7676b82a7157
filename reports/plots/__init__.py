# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots: what is drawn (charts), and how (gnuplot)."""
