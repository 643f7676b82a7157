# SPDX-License-Identifier: GPL-2.0-or-later
"""Documents that are not a sweep's report: one module each, with FORMAT, VERSION and render(document) -> str."""
