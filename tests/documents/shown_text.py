# SPDX-License-Identifier: Apache-2.0
"""Compares text that a document shows with what its command prints, and rewrites it.

A line of dots stands for any lines, dots at the end of a line or between blanks for any text within the line."""

import difflib
import re

NUMBER = re.compile(r"\d+(?:\.\d+)?")
DOTS = re.compile(r"(?<!\S)\.\.\.(?!\S)")
# Wall-clock times of the machine that runs the command: any numbers will do.
OF_THE_HOST = re.compile(r"\bs on this host\b")


def line_pattern(line):
    """What a printed line must match entirely."""
    pieces = [re.escape(piece) for piece in DOTS.split(line.rstrip())]
    pattern = ".*".join(pieces)
    if OF_THE_HOST.search(line):
        pattern = re.sub(r"\d+(?:\\\.\d+)?", r"\\d+(?:\\.\\d+)?", pattern)
    return re.compile(pattern)


def is_gap(line):
    return line.strip() == "..."


def position(shown, printed, begin, at_end, matches):
    """The first position from `begin` on where the shown lines are; None if there is none."""
    last = len(printed) - len(shown)
    for at in range(last if at_end else begin, last + 1):
        if at >= begin and all(matches(line, printed[at + i]) for i, line in enumerate(shown)):
            return at
    return None


def segments(shown):
    """Runs of lines between gaps, as (first index, lines)."""
    runs, begin = [], 0
    for index in [i for i, line in enumerate(shown) if is_gap(line)] + [len(shown)]:
        runs.append((begin, shown[begin:index]))
        begin = index + 1
    return runs


def agrees(shown, printed):
    """Whether the printed lines are those that are shown, with anything in place of the dots."""
    printed = [line.rstrip() for line in printed]
    matches = lambda line, there: line_pattern(line).fullmatch(there) is not None
    runs = segments(shown)
    at = 0
    for index, (_, lines) in enumerate(runs):
        first, last = index == 0, index == len(runs) - 1
        if first and last and len(lines) != len(printed):
            return False
        if not lines:
            continue
        found = position(lines, printed[:at + len(lines)] if first else printed, at, last, matches)
        if found is None:
            return False
        at = found + len(lines)
    return True


def likeness(line, there):
    """How alike two lines are beside their numbers, from 0 to 1."""
    strip = lambda text: " ".join(NUMBER.sub("#", DOTS.sub("", text)).split())
    return difflib.SequenceMatcher(None, strip(line), strip(there), autojunk=False).ratio()


def rewritten_line(line, there):
    """A printed line as the document shows it: with its dots, and with its times of the host."""
    if OF_THE_HOST.search(line) and line_pattern(line).fullmatch(there):
        return line
    if not DOTS.search(line):
        return there
    pieces = [NUMBER.sub(r"\\d+(?:\\.\\d+)?", re.escape(piece).replace("\\.", "."))
              for piece in DOTS.split(line.rstrip())]
    found = re.fullmatch("(.*)".join(f"({piece})" for piece in pieces), there)
    return None if found is None else "...".join(found.groups()[::2])


def rewritten(shown, printed):
    """The shown lines with the figures of the printed ones; None where it is not clear which lines they are."""
    printed = [line.rstrip() for line in printed]
    if agrees(shown, printed):
        return shown
    runs = segments(shown)
    if len(runs) == 1 and not any(DOTS.search(line) for line in shown):
        return printed
    result, at = [], 0
    for index, (_, lines) in enumerate(runs):
        if index > 0:
            result.append("...")
        if not lines:
            continue
        starts = range(at, len(printed) - len(lines) + 1)
        if index == 0:
            starts = starts[:1]
        scores = [min(likeness(line, printed[start + i]) for i, line in enumerate(lines)) for start in starts]
        if not scores or max(scores) < 0.6:
            return None
        start = starts[scores.index(max(scores))]
        for i, line in enumerate(lines):
            new = rewritten_line(line, printed[start + i])
            if new is None:
                return None
            result.append(new)
        at = start + len(lines)
    return result if agrees(result, printed) else None
