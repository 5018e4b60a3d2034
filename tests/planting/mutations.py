# SPDX-License-Identifier: Apache-2.0
"""Places of a C++ source where a fault can be planted, and the text that plants it.

A planted operator is a pair of operators of the same precedence around an object that knows the number of the fault:
`a + b` becomes `a + plant::sum(7) + b`, which is `a - b` where fault 7 is on (tests/planting/plant.h).
"""

import re

BINARY = {"+": "sum", "-": "sum", "*": "product", "/": "product", "<": "order", "<=": "order", ">": "order",
          ">=": "order", "==": "equality", "!=": "equality"}
BECOMES = {"+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}

OPERATOR = re.compile(r"(?<=[\w)\]}]) (\+|-|\*|/|<=|>=|<|>|==|!=) (?=[\w(!~-])")
LOGICAL = re.compile(r" (&&|\|\|) (?=[\w(!])")
NUMBER = re.compile(r"(?<![\w.\"'<])([0-9]|1[0-9])(?![\w.'\"])")
BOOLEAN = re.compile(r"\b(true|false)\b")
EXTREME = re.compile(r"\bstd::(min|max)\(")
STATEMENT = re.compile(r"^\s+(?!return|const|auto|else|case|if|for|while|do\b|break|continue|using|struct|class|static|throw)"
                       r"[\w.\->\[\]()*:]+( [-+*/|&]?= .*|\(.*\));$")
CONSTANT_LINE = re.compile(r"^\s*#|\bconstexpr\b|\bstatic_assert\b|\btemplate\b|^\s*case\b|\boperator\b|\benum\b|\busing\b"
                           r"|\bstd::array<|\basm\b|^\s*(inline )?const \w+ \w+\[|^namespace\b|\bnoexcept\b|\bassert\(")


class Place:
    """A fault: in `line` (from 0) the characters `begin` to `end` become `text`, in which {id} is the fault's number."""

    def __init__(self, line, begin, end, text, what):
        self.line, self.begin, self.end, self.text, self.what = line, begin, end, text, what


def without_comments_and_strings(text):
    """The same text with blanks in place of comments, strings and characters."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def places(source):
    """All places of a source, in its order."""
    found = []
    lines = without_comments_and_strings(source).split("\n")
    for number, line in enumerate(lines):
        if CONSTANT_LINE.search(line) or not line.startswith(" "):
            continue  # declarations, and what is no body of a function

        def add(match, text, what, group=0):
            found.append(Place(number, match.start(group), match.end(group), text, what))  # noqa: B023

        for match in OPERATOR.finditer(line):
            name = match[1]
            if name in "<>" and re.search(r"\w<[\w:, ]*$", line[:match.start(1)]):
                continue
            add(match, f"{name} plant::{BINARY[name]}({{id}}) {name}", f"{name} becomes {BECOMES[name]}", 1)
        for match in LOGICAL.finditer(line):
            ends = "&& !plant::is_on({id}) &&" if match[1] == "&&" else "|| plant::is_on({id}) ||"
            add(match, ends, "false" if match[1] == "&&" else "true", 1)
        for match in NUMBER.finditer(line):
            add(match, f"({match[1]} + plant::is_on({{id}}))", f"{match[1]} becomes {int(match[1]) + 1}")
        for match in BOOLEAN.finditer(line):
            other = "!" if match[1] == "true" else ""
            add(match, f"{other}plant::is_on({{id}})", f"{match[1]} becomes {'false' if other else 'true'}")
        for match in EXTREME.finditer(line):
            other = {"min": "max", "max": "min"}[match[1]]
            add(match, f"plant::{match[1]}_of({{id}}, ", f"{match[1]} becomes {other}")
        follows_else = number + 1 < len(lines) and lines[number + 1].lstrip().startswith("else")
        before = lines[number - 1].rstrip() if number else ""
        if STATEMENT.match(line) and before.endswith((";", "{", "}")) and not follows_else:
            begin = len(line) - len(line.lstrip())
            found.append(Place(number, begin, begin, "if (!plant::is_on({id})) ", "left out"))
    return found


def planted(source, chosen):
    """The source with faults; `chosen` has pairs of a number and a place."""
    lines = source.split("\n")
    for identity, place in sorted(chosen, key=lambda pair: (pair[1].line, pair[1].begin), reverse=True):
        line = lines[place.line]
        lines[place.line] = line[:place.begin] + place.text.replace("{id}", str(identity)) + line[place.end:]
    return "\n".join(lines)
