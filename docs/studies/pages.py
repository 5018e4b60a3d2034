# SPDX-License-Identifier: Apache-2.0
"""Pages of studies: numbers in their text, tables and charts, tied to the study's data by comments that readers do not see.

A number is followed by the expression that it must equal when rounded to as many digits as are printed, a sentence by
what must hold:

    the step takes 119.0 ms<!-- = 1e3 * step_time_s{workload=resnet50} -->
    the more, the faster<!-- holds step_time_s{mxu.count=2} > step_time_s{mxu.count=4} -->

`metric{axis=value; axis=value}` is that column of the one point selected, `metric[...]` a list of it over all points
selected, for min, max, sum, len, all, zip. Values are written as in the study; `axis=a|b` takes either. A page may have
defaults for axes that a selection does not name, `<!-- where workload=resnet50 -->`, until the next such comment;
`axis=*` lifts one.

A table is filled in from the data, one line for each different set of values of the axes in `rows`, in the order of the
data or of the expression in `sort`; expressions in it may name columns of the line's point, or, with `columns`, of the point of line and column:

    <!-- table
    where: machine=tpu-v3
    rows: slice
    columns: workload
    cell: 1e3 * step_time_s | .1f
    -->

or, instead of `columns` and `cell`, any number of `column: HEADING = EXPRESSION | FORMAT`. In these, `axis=.` selects
the value of the line's point. What follows, up to an empty line, is the table.

A chart is made by `podsim report`: `<!-- chart NAME.svg ARGUMENTS -->`.

The data of a search with several objectives have a column `front`: 1 for the points that no other one beats in all of
them, else 0.

The data are those of the study of the page's name, data/NAME.csv; behind `<!-- study OTHER -->` those of another one.
"""

import csv
import functools
import math
import re
import shlex


class PageError(Exception):
    """A page says what its data do not, or cannot be read."""


def number_of(text):
    """The number that a cell of the data starts with, None if it has none."""
    try:
        return float(text)
    except ValueError:
        return None


class Data:
    """Rows of a study's CSV file, as texts by column; `used` collects the rows that were asked for."""

    def __init__(self, rows):
        self.rows = rows
        self.columns = set(rows[0]) if rows else set()
        self.used = set()

    @staticmethod
    def read(path):
        with open(path, newline="", encoding="utf-8") as file:
            return Data(list(csv.DictReader(file)))

    def select(self, selection):
        """Indices of the rows in which every axis has one of the values given."""
        for axis in selection:
            if axis not in self.columns:
                raise PageError(f"the data have no column '{axis}'")
        return [
            index
            for index, row in enumerate(self.rows)
            if all(row[axis] in values for axis, values in selection.items())
        ]

    def value(self, index, column):
        self.used.add(index)
        value = number_of(self.rows[index][column])
        if value is None:
            raise PageError(f"'{column}' is '{self.rows[index][column]}', no number, at {self.rows[index]}")
        return value


def read_selection(text, defaults=None):
    """'axis=value; other=a|b' as {axis: [values]}, over the defaults."""
    selection = dict(defaults or {})
    for part in filter(None, (part.strip() for part in text.split(";"))):
        axis, equals, value = part.partition("=")
        if not equals:
            raise PageError(f"'{part}' is not of the form axis=value")
        if value.strip() == "*":
            selection.pop(axis.strip(), None)
        else:
            selection[axis.strip()] = [one.strip() for one in value.split("|")]
    return selection


_REFERENCE = re.compile(r"([A-Za-z_][\w.]*)\s*(?:\{([^}]*)\}|\[([^\]]*)\])")
_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_][\w.]*")
_FUNCTIONS = {"min": min, "max": max, "sum": sum, "len": len, "abs": abs, "all": all,
              "zip": functools.partial(zip, strict=True), "floor": math.floor, "log2": math.log2, "sqrt": math.sqrt}


def evaluate(expression, data, defaults=None, row=None):
    """The value of an expression; `row` is the index of the row whose columns may be named without a selection."""
    values = {}

    def keep(value):
        name = f"value{len(values)}"
        values[name] = value
        return name

    def reference(match):
        column, one, many = match.groups()
        if column not in data.columns:
            raise PageError(f"the data have no column '{column}'")
        selection = read_selection(one if one is not None else many, defaults)
        if row is not None:
            selection = {axis: [data.rows[row].get(axis)] if values == ["."] else values
                         for axis, values in selection.items()}
        found = data.select(selection)
        if many is not None:
            if not found:
                raise PageError(f"no point is selected by '{many}'")
            return keep([data.value(index, column) for index in found])
        if len(found) != 1:
            raise PageError(f"{len(found)} points are selected by '{one}', not one, in '{expression}'")
        return keep(data.value(found[0], column))

    def own_column(match):
        name = match.group()
        if row is not None and name in data.columns:
            return keep(data.value(row, name))
        return name

    text = _NAME.sub(own_column, _REFERENCE.sub(reference, expression))
    try:
        return eval(text, {"__builtins__": {}, **_FUNCTIONS, **values})
    except (NameError, SyntaxError, TypeError, ZeroDivisionError) as problem:
        raise PageError(f"'{expression}': {problem}") from problem


_COMMENT = re.compile(r"<!--\s*(=|holds|where|table|chart|study)(.*?)-->", re.DOTALL)
_PRINTED = re.compile(r"-?\d+(?:\.\d+)?")


class Claim:
    """A number or a sentence of a page with the expression behind it."""

    def __init__(self, study, line, printed, expression, defaults):
        self.study = study
        self.line = line
        self.printed = printed  # None: the expression holds or does not
        self.expression = expression
        self.defaults = defaults

    def problem(self, data):
        """What is wrong with it; None if the data of its study say the same."""
        try:
            value = evaluate(self.expression, data, self.defaults)
        except PageError as error:
            return f"line {self.line}: {error}"
        if self.printed is None:
            return None if value is True else f"line {self.line}: does not hold: {self.expression}"
        digits = len(self.printed.partition(".")[2])
        if abs(float(self.printed) - value) <= 0.5 * 10**-digits * (1 + 1e-9):
            return None
        return f"line {self.line}: {self.printed} stands where the data say {value:.{digits + 2}f}: {self.expression}"

    def rows(self, data):
        """Indices of the rows of the data that it rests on."""
        asked = Data(data.rows)
        evaluate(self.expression, asked, self.defaults)
        return asked.used


class Table:
    """A table of a page and the description that it is made from."""

    def __init__(self, study, description, begin, end):
        self.study = study
        self.begin, self.end = begin, end  # of its lines in the page's text
        self.where, self.rows, self.columns, self.cell, self.plain, self.sort = {}, [], None, None, [], None
        for line in filter(None, (line.strip() for line in description.splitlines())):
            key, colon, value = line.partition(":")
            value = value.strip()
            if key == "where":
                self.where = read_selection(value)
            elif key == "rows":
                self.rows = [self._named(part) for part in value.split(",")]
            elif key == "sort":
                self.sort = value
            elif key == "columns":
                self.columns = self._named(value)
            elif key == "cell":
                self.cell = self._formatted(value)
            elif key == "column":
                heading, _, expression = value.partition(" = ")
                self.plain.append((heading.strip(), *self._formatted(expression)))
            else:
                raise PageError(f"a table does not know '{line}'")

    @staticmethod
    def _named(text):
        axis, _, heading = text.partition(" as ")
        return axis.strip(), (heading or axis).strip()

    @staticmethod
    def _formatted(text):
        expression, _, form = text.partition("|")
        return expression.strip(), form.strip() or "g"

    def text(self, data):
        found = data.select(self.where)
        if not found:
            raise PageError(f"a table selects no point: {self.where}")
        if self.sort:
            found.sort(key=lambda index: evaluate(self.sort, data, self.where, index))
        axes = [axis for axis, _ in self.rows]
        for axis in axes + ([self.columns[0]] if self.columns else []):
            if axis not in data.columns:
                raise PageError(f"the data have no column '{axis}'")
        lines = {}
        for index in found:
            lines.setdefault(tuple(data.rows[index][axis] for axis in axes), []).append(index)
        headings = [heading for _, heading in self.rows]
        if self.columns:
            across = list(dict.fromkeys(data.rows[index][self.columns[0]] for index in found))
            headings += across
            body = [self._across(data, indices, across) for indices in lines.values()]
        else:
            headings += [heading for heading, _, _ in self.plain]
            body = [self._plain(data, indices) for indices in lines.values()]
        head = "| " + " | ".join(headings) + " |\n|" + "---|" * len(headings) + "\n"
        return head + "".join("| " + " | ".join([*key, *cells]) + " |\n" for key, cells in zip(lines, body))

    def _across(self, data, indices, across):
        cells = []
        for value in across:
            here = [index for index in indices if data.rows[index][self.columns[0]] == value]
            if len(here) > 1:
                raise PageError(f"{len(here)} points share a cell of a table: {data.rows[here[0]]}")
            expression, form = self.cell
            cells.append(format(evaluate(expression, data, self.where, here[0]), form) if here else "")
        return cells

    def _plain(self, data, indices):
        if len(indices) > 1:
            raise PageError(f"{len(indices)} points share a line of a table: {data.rows[indices[0]]}")
        return [format(evaluate(expression, data, self.where, indices[0]), form) for _, expression, form in self.plain]


class Page:
    """What a page claims, its tables and its charts. `data` of its methods are Data by the names of studies."""

    def __init__(self, name, text):
        self.text = text
        self.claims, self.tables, self.charts, self.studies = [], [], [], []
        study, defaults = name, {}
        for match in _COMMENT.finditer(text):
            kind, content = match.group(1), " ".join(match.group(2).split())
            line = text.count("\n", 0, match.start()) + 1
            if kind == "study":
                study, defaults = content, {}
                continue
            if study not in self.studies:
                self.studies.append(study)
            if kind == "where":
                defaults = read_selection(content)
            elif kind == "table":
                begin = match.end() + 1
                end = text.find("\n\n", begin - 1)
                self.tables.append(Table(study, match.group(2), begin, len(text) if end < 0 else end + 1))
            elif kind == "chart":
                chart, *arguments = shlex.split(content)
                self.charts.append((study, chart, arguments))
            else:
                self.claims.append(Claim(study, line, self._printed(kind, match, line), content, defaults))

    def _printed(self, kind, match, line):
        if kind == "holds":
            return None
        printed = _PRINTED.findall(self.text[max(0, match.start() - 24) : match.start()])
        if not printed:
            raise PageError(f"line {line}: no number stands before '{match.group()}'")
        return printed[-1]

    def problems(self, data):
        """Claims that the data do not bear out, and whether a table is not what the data make of it."""
        found = [problem for claim in self.claims if (problem := claim.problem(data[claim.study]))]
        if self.filled(data) != self.text:
            found.append("a table is not what the data give")
        return found

    def filled(self, data):
        """The page's text with its tables made of the data."""
        text, done = "", 0
        for table in self.tables:
            text += self.text[done : table.begin] + table.text(data[table.study])
            done = table.end
        return text + self.text[done:]
