# SPDX-License-Identifier: Apache-2.0
"""Plants false figures in a document that agrees, one after another, to see whether the checker finds each."""

import random
import re

import document
import figures
import shown_text

DIGIT = re.compile(r"\d")


def with_other_digit(text, at):
    return text[:at] + str((int(text[at]) + 5) % 10) + text[at + 1:]


def of_figures(lines, step, kind):
    """A fault in each figure of a range of columns: another last digit, or the next one in front if that is a zero."""
    text = lines[step.line][step.begin:step.end]
    for figure in figures.figures_in(text, step.unit_required):
        digits = [match.start() for match in DIGIT.finditer(text, figure.begin, figure.end)]
        yield kind, step.line, step.begin + digits[-1]


def of_shown_text(lines, step):
    for line in range(step.shown.begin, step.shown.end):
        digits = [match.start() for match in DIGIT.finditer(lines[line])]
        if digits and not shown_text.OF_THE_HOST.search(lines[line]):
            yield "shown text", line, digits[-1]


def faults(lines, steps):
    """(kind, line, column of a digit) for every place where a figure can be false."""
    for step in steps:
        if isinstance(step, document.Command) and step.shown is not None:
            yield from of_shown_text(lines, step)
        elif isinstance(step, document.Figures):
            row = lines[step.line].startswith("|")
            kind = "prose" if not row else "row of figures" if step.unit_required else "row of a table of commands"
            yield from of_figures(lines, step, kind)
        elif isinstance(step, document.Error):
            digits = [match.start() for match in DIGIT.finditer(lines[step.line], *step.error)]
            if digits:
                yield "error of a row", step.line, digits[-1]


def chosen(every, count):
    """One of each kind, then others, the same in every run."""
    every = list(every)
    random.Random(len(every)).shuffle(every)
    kinds = set()
    first = [fault for fault in every if fault[0] not in kinds and not kinds.add(fault[0])]
    return (first + [fault for fault in every if fault not in first])[:count]


def missed(check_of, text, agreed, count):
    """What the checker says nothing about, as text. `check_of(text)` is a check of a text with the outputs of `agreed`,
    a check that found nothing; steps whose commands did not run hold no faults."""
    lines = text.split("\n")
    ran = [step for step in agreed.steps if getattr(step, "command", getattr(step, "text", "")) in agreed.printed
           or isinstance(step, document.Error)]
    result, planted = [], chosen(faults(lines, ran), count)
    # Where it is not clear which line of a block differs, the block is named by its first one.
    begins = [step.shown.begin for step in ran if getattr(step, "shown", None)]
    for kind, line, column in planted:
        changed = lines[:line] + [with_other_digit(lines[line], column)] + lines[line + 1:]
        check = check_of("\n".join(changed))
        check.run()
        places = {line} | ({max(begin for begin in begins if begin <= line)} if kind == "shown text" else set())
        named = tuple(f"{agreed.name}:{place + 1}: " for place in places)
        if not any(problem.startswith(named) for problem in check.problems):
            result.append(f"{agreed.name}:{line + 1}: a false figure in {kind} is not found: {changed[line]}")
    agreed.counts["false figures planted"] = len(planted)
    if any(isinstance(step, document.Source) and step.is_of_all for step in agreed.steps):
        return result
    unowned = check_of(text + "\n\nIt takes 12.34 ms.\n")
    unowned.run()
    if not unowned.problems:
        result.append(f"{agreed.name}: a figure of no command is not found")
    agreed.counts["false figures planted"] += 1
    return result
