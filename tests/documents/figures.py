# SPDX-License-Identifier: Apache-2.0
"""Figures in prose and tables: a number with a unit, held to what a command prints to the digits that are written."""

import re

# Of each unit, its dimension and size.
UNITS = {"s": ("s", 1), "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9), "ps": ("s", 1e-12),
         "B": ("B", 1), "KB": ("B", 1e3), "MB": ("B", 1e6), "GB": ("B", 1e9), "TB": ("B", 1e12),
         "KiB": ("B", 2**10), "MiB": ("B", 2**20), "GiB": ("B", 2**30),
         "B/s": ("B/s", 1), "MB/s": ("B/s", 1e6), "GB/s": ("B/s", 1e9), "TB/s": ("B/s", 1e12),
         "%": ("%", 1), "cycles": ("cycles", 1),
         "MFLOP": ("FLOP", 1e6), "GFLOP": ("FLOP", 1e9), "TFLOP": ("FLOP", 1e12),
         "samples/s": ("samples/s", 1), "tokens/s": ("tokens/s", 1)}
NUMBER = r"(?<![\w.])([+-]?\d+(?:\.\d+)?(?:e\d+)?)"
ANY_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
FIGURE = re.compile(NUMBER + rf"(?: ({ANY_UNIT})(?![\w/]))?(?![\w.]*\d)")


class Figure:
    def __init__(self, begin, end, text, unit):
        self.begin, self.end, self.text, self.unit = begin, end, text, unit
        self.dimension, self.size = UNITS.get(unit, (None, 1))
        self.value = float(text) * self.size
        mantissa, _, exponent = text.partition("e")
        self.digit = self.size * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))

    def is_rounded_from(self, value):
        return abs(value - self.value) <= 0.5 * self.digit * (1 + 1e-9)

    def with_value(self, value):
        """The figure's text with another value, in its unit and to its digits."""
        mantissa, e, exponent = self.text.partition("e")
        scaled = value / self.size / 10.0 ** int(exponent or 0)
        sign = "+" if mantissa.startswith("+") else ""
        return f"{scaled:{sign}.{len(mantissa.partition('.')[2])}f}{e}{exponent}"


def figures_in(text, unit_required):
    """The figures of a text; code between backquotes has none."""
    text = re.sub(r"`[^`]*`", lambda code: " " * len(code.group()), text)
    found = [Figure(match.start(1), match.end(1), match.group(1), match.group(2)) for match in FIGURE.finditer(text)]
    return [figure for figure in found if figure.unit or not unit_required]
