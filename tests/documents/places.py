# SPDX-License-Identifier: Apache-2.0
"""The line of an output, or the number of a JSON object, that a figure of a document stands for."""

import json

import figures


class Unclear(Exception):
    """It is not clear which line a figure stands for."""


def squeezed(text):
    return " ".join(text.split())


def is_json(printed):
    return printed.lstrip().startswith("{")


def number_at(value, path):
    for key in path.split("."):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unclear(f"there is no number '{path}'") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unclear(f"'{path}' is no number")
    return value


def line_of(lines, selector):
    words, _, number = selector.partition("#")
    words = squeezed(words)
    found = [line for line in lines if squeezed(line).startswith(words)]
    found = found or [line for line in lines if words in squeezed(line)]
    if number:
        if not number.isdigit() or not 1 <= int(number) <= len(found):
            raise Unclear(f"{len(found)} lines have '{words}', so that there is none with the number '{number}'")
        return found[int(number) - 1]
    if not found:
        raise Unclear(f"no line has '{words}'")
    if len(found) > 1:
        raise Unclear(f"{len(found)} lines have '{words}': '{words}#1' is the first of them")
    return found[0]


def places(printed, selectors, count):
    """For each of `count` figures the line that it stands for, or the number of a JSON object. Without selectors all
    stand for the only line, or each for one of as many lines."""
    if is_json(printed):
        if not selectors:
            raise Unclear("nothing says which numbers of the JSON they are: ' @ PATH' behind the command does")
        values = json.loads(printed)
        found = [number_at(values, selector) for selector in selectors]
    else:
        lines = [line for line in printed.splitlines() if line.strip()]
        if not selectors and len(lines) not in (1, count):
            raise Unclear(f"nothing says which of {len(lines)} lines they are from: ' @ WORDS' behind the command does")
        found = [line_of(lines, selector) for selector in selectors] if selectors else lines
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise Unclear(f"there are {count} figures and {len(found)} places for them")
    return found


def values_at(figure, place):
    """The values of a place that a figure may be, in their order: those of its dimension, any if it has no unit. JSON
    has SI units, and shares in place of per cents."""
    if isinstance(place, (int, float)):
        return [place * (100 if figure.unit == "%" else 1)]
    return [there.value if figure.unit else float(there.text) for there in numbers_at(figure, place)]


def numbers_at(figure, place):
    return [there for there in figures.figures_in(place, False)
            if not figure.unit or there.dimension == figure.dimension]


def has_sign_of(figure, place, i):
    """Whether value `i` of a line has a sign where the figure has a plus."""
    return isinstance(place, (int, float)) or figure.text[0] != "+" or numbers_at(figure, place)[i].text[0] in "+-"


def wrong_figures(found, at):
    """Those of the figures that are not at their places. Each number of a line is for one figure."""
    wrong, taken = [], set()
    for figure, place in zip(found, at):
        values = values_at(figure, place)
        key = id(place) if isinstance(place, str) else len(taken)  # equal lines are different places
        match = next((i for i, value in enumerate(values)
                      if (key, figure.dimension, i) not in taken and figure.is_rounded_from(value)
                      and has_sign_of(figure, place, i)), None)
        if match is None:
            wrong.append(figure)
        else:
            taken.add((key, figure.dimension, match))
    return wrong


def rewritten(text, found, at):
    """The text with the figures of their places, and the figures for which there is none."""
    wrong, lost = wrong_figures(found, at), []
    for figure in sorted(wrong, key=lambda figure: figure.begin, reverse=True):
        place = at[found.index(figure)]
        values = values_at(figure, place)
        same = [other for other, there in zip(found, at) if there is place and other.dimension == figure.dimension]
        nearest = values[same.index(figure)] if len(values) == len(same) else min(
            values, key=lambda value: abs(value - figure.value), default=None)
        if nearest is None or (len(values) > len(same) and abs(nearest - figure.value) > 0.2 * abs(figure.value)):
            lost.append(figure)
        else:
            text = text[:figure.begin] + figure.with_value(nearest) + text[figure.end:]
    return text, lost
