# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as text. None is "not measured" and prints as "-"; it is never 0."""

NOTHING = "-"


def fixed(value, digits):
    """VALUE with DIGITS behind the point."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def significant(value, digits=3):
    """VALUE with DIGITS significant digits, never in powers of ten."""
    if value is None:
        return NOTHING
    behind = digits - 1
    rest = abs(value)
    # What rounds up to the next power of ten has one digit more before the point.
    while behind > 0 and float(f"{rest:.{behind}f}") >= 10 ** (digits - behind):
        behind -= 1
    return f"{value:.{behind}f}"


def megabytes(value):
    """Bytes per second as MB/s, MB = 10^6 bytes."""
    if value is None:
        return NOTHING
    value /= 1e6
    if 0 < value < 0.01:
        return f"{value:.1e}"
    return significant(value) if value < 99.95 else f"{value:.1f}"


def count(value):
    """A number of things, or things per second."""
    if value is None:
        return NOTHING
    return significant(value) if value < 99.5 else f"{value:.0f}"


def percent(value):
    return NOTHING if value is None else f"{value:.0f}"


def ratio(value):
    """A quotient, to a tenth of a percent of 1."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value < 9.9995 else significant(value)


def bound(value):
    """A bound of a ratio, which is known less well."""
    return significant(value) if value >= 0.0995 else f"{value:.3f}"


def interval(low, high):
    """The bounds of a ratio in brackets."""
    if low is None or high is None:
        return NOTHING
    return f"[{bound(low)}, {bound(high)}]"


def per_io(value):
    """How many for each I/O: three significant digits of small shares too."""
    if value is not None and 0 < value < 0.0995:
        return f"{value:.4f}" if value >= 0.00095 else f"{value:.1e}"
    return significant(value)


def latency(nanoseconds):
    """A time with three significant digits and the unit that suits it."""
    if nanoseconds is None:
        return NOTHING
    for unit, scale in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if nanoseconds / scale < 999.5:
            return significant(nanoseconds / scale) + unit
    return significant(nanoseconds / 1e9) + "s"


def size(value):
    """A number of bytes with a binary suffix, exactly: 8192 is 8k, 1000 is 1000."""
    if value is None:
        return NOTHING
    for suffix, scale in (("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("k", 1 << 10)):
        if value and value % scale == 0:
            return f"{value // scale}{suffix}"
    return str(value)


def of_kind(kind, value):
    """The value of an axis; kinds are those of report.json's axes."""
    if value is None:
        return NOTHING
    if kind == "size":
        return size(value)
    if kind == "bool":
        return "yes" if value else "no"
    return clean(str(value))


def clean(text):
    """TEXT on one line: what would move the cursor, hide or reorder letters is shown as its code."""
    if text is None:
        return NOTHING
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in str(text))
