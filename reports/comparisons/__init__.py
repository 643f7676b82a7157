# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps side by side (iogap-compare): one module per format, render(comparison) -> str."""
