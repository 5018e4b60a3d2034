# SPDX-License-Identifier: Apache-2.0
"""A Markdown document as steps: commands to run, text that they print, files that the text shows, figures.

The syntax is in the docstring of `check`."""

import re

import figures


class DocumentError(Exception):
    """A document that breaks the conventions; the message names the line."""


class Command:
    """A command line, and the lines of the document that show what it prints (None: nothing is shown)."""

    def __init__(self, line, text, exit_code=0, shown=None, needs=None):
        self.line, self.text, self.exit_code, self.shown, self.needs = line, text, exit_code, shown, needs


class Shown:
    """Lines [begin, end) of the document, counted from zero."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end


class File:
    def __init__(self, line, name, text):
        self.line, self.name, self.text = line, name, text


class SharedFile:
    def __init__(self, line, name, path):
        self.line, self.name, self.path = line, name, path


class NotRun:
    def __init__(self, line, text, reason):
        self.line, self.text, self.reason = line, text, reason


class Figures:
    """Figures in columns [begin, end) of a line that a command prints, on the lines of its output that the selectors
    name (places.py). In prose and rows they have a unit; in the column `podsim` of a table of commands any number is
    one."""

    def __init__(self, line, begin, end, command, unit_required, selectors):
        self.line, self.begin, self.end, self.command, self.unit_required = line, begin, end, command, unit_required
        self.selectors = selectors


class Error:
    """A row's error of `podsim` against silicon. Each is a range of columns."""

    def __init__(self, line, silicon, podsim, error):
        self.line, self.silicon, self.podsim, self.error = line, silicon, podsim, error


class Source:
    """Where figures of [begin, end) come from that no command prints. `columns` is None for all figures of a paragraph or
    table, lines [begin, end), that nothing else owns."""

    def __init__(self, line, key, text, end, columns=None, is_of_all=False):
        self.line, self.key, self.text, self.end, self.columns = line, key, text, end, columns
        self.is_of_all = is_of_all  # of all figures of the document


MARK = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
OF_BLOCK = ("not run", "file", "output of", "exit code", "needs")
ANYWHERE = ("run", "shared", "figures of")
SOURCES = ("cited", "not checked")  # behind figures in their line, or in front of a paragraph or table
LANGUAGES = ("", "toml", "python", "cpp")


class Parser:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.steps = []
        self.marks = {}       # of the next block: (key, argument) -> value
        self.marked_at = 0
        self.table = None     # positions of the columns of a table of commands by name; of another table nothing
        self.table_command = None

    def parse(self):
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if line.startswith("```"):
                at = self.block(at)
            elif line.startswith("<!--"):
                at = self.comment(at)
            else:
                if self.marks and line.strip():
                    raise DocumentError(f"{self.marked_at + 1}: no block follows this mark")
                self.text_line(at, line)
                at += 1
        if self.marks:
            raise DocumentError(f"{self.marked_at + 1}: no block follows this mark")
        return self.steps

    # --- marks ---------------------------------------------------------------------------------------------------

    def comment(self, at):
        end = at
        while "-->" not in self.lines[end]:
            end += 1
            if end == len(self.lines):
                raise DocumentError(f"{at + 1}: this comment does not end")
        self.mark(at, MARK.match("\n".join(self.lines[at:end + 1])).group(1))
        return end + 1

    def mark(self, at, text):
        head, colon, value = text.partition(":")
        key, _, argument = head.strip().partition(", ")
        value = value.strip()
        if not colon or key not in OF_BLOCK + ANYWHERE + SOURCES or not value or (
                argument and key != "not run" and not (argument == "all" and key in SOURCES)):
            raise DocumentError(f"{at + 1}: '{text}' is not a mark; marks are " +
                                ", ".join(f"'{known}: ...'" for known in OF_BLOCK + ANYWHERE + SOURCES))
        if key == "run":
            self.steps.append(Command(at, value))
        elif key == "shared":
            name, equals, path = (part.strip() for part in value.partition("="))
            if not equals:
                raise DocumentError(f"{at + 1}: 'shared: NAME = PATH' names a file and its path in the folder shared")
            self.steps.append(SharedFile(at, name, path))
        elif key in SOURCES:
            if argument == "all":
                self.steps.append(Source(0, key, value, len(self.lines), is_of_all=True))
                return
            first = next((i for i in range(at, len(self.lines)) if "-->" in self.lines[i]), at) + 1
            end = next((i for i in range(first, len(self.lines)) if not self.lines[i].strip()), len(self.lines))
            self.steps.append(Source(at, key, value, end))
        elif key == "figures of":
            raise DocumentError(f"{at + 1}: 'figures of' stands behind the figures, in their line")
        else:
            self.marks[key, argument] = value
            self.marked_at = at

    # --- blocks --------------------------------------------------------------------------------------------------

    def block(self, begin):
        end = begin + 1
        while end < len(self.lines) and self.lines[end] != "```":
            end += 1
        if end == len(self.lines):
            raise DocumentError(f"{begin + 1}: this block does not end")
        language, marks, self.marks = self.lines[begin][3:].strip(), self.marks, {}
        if language not in LANGUAGES:
            raise DocumentError(f"{begin + 1}: blocks of '{language}' are unknown here")
        content = self.lines[begin + 1:end]
        if ("not run", "") in marks:
            self.steps.append(NotRun(begin, None, marks["not run", ""]))
        elif ("file", "") in marks:
            self.steps.append(File(begin, marks["file", ""], "\n".join(content) + "\n"))
        elif ("output of", "") in marks:
            self.steps.append(Command(begin, marks["output of", ""], self.exit_code(marks, begin),
                                      Shown(begin + 1, end), marks.get(("needs", ""))))
        elif language:
            raise DocumentError(f"{begin + 1}: a block of {language} needs the mark 'file: NAME' or 'not run: REASON'")
        else:
            self.commands(begin + 1, end, marks)
        return end + 1

    def exit_code(self, marks, at):
        text = marks.get(("exit code", ""), "0")
        if not text.isdigit():
            raise DocumentError(f"{at}: '{text}' is not an exit code")
        return int(text)

    def commands(self, begin, end, marks):
        prompts = any(line.startswith("$ ") for line in self.lines[begin:end])
        left_out = {argument: reason for (key, argument), reason in marks.items() if key == "not run"}
        used = set()
        at = begin
        while at < end:
            first = at
            text = self.lines[at]
            while text.endswith("\\") and at + 1 < end:
                at += 1
                text = text[:-1] + self.lines[at].lstrip()
            at += 1
            if not prompts and (not text.strip() or text.startswith("#")):
                continue
            shown = None
            if prompts:
                if not text.startswith("$ "):
                    raise DocumentError(f"{first + 1}: a block that has '$ ' begins with a command")
                text = text[2:]
                after = at
                while at < end and not self.lines[at].startswith("$ "):
                    at += 1
                shown = Shown(after, at) if at > after else None
            prefix = next((prefix for prefix in left_out if text.startswith(prefix)), None)
            if prefix is not None:
                used.add(prefix)
                self.steps.append(NotRun(first, text, left_out[prefix]))
            else:
                self.steps.append(Command(first, text, self.exit_code(marks, begin), shown, marks.get(("needs", ""))))
        for prefix in left_out:
            if prefix not in used:
                raise DocumentError(f"{begin}: no line of this block begins with '{prefix}'")

    # --- figures in text and tables ------------------------------------------------------------------------------

    def text_line(self, at, line):
        begin = 0
        self.selectors = None  # of a row of a table of commands
        for mark in MARK.finditer(line):
            key, _, value = (part.strip().replace("\\|", "|") for part in mark.group(1).partition(":"))
            if key not in ("figures of", "line") + SOURCES or not value:
                raise DocumentError(f"{at + 1}: '{mark.group(1)}' is not a mark within a line, such as "
                                    "'figures of: COMMAND'")
            if key == "line":
                self.selectors = selectors_in(value)
                continue
            if self.table:  # a cell of its own
                begin = max(begin, line.rfind("|", 0, mark.start()) + 1)
            if key == "figures of":
                command, _, selectors = value.partition(" @ ")
                self.steps.append(Figures(at, begin, mark.start(), command.strip(), True, selectors_in(selectors)))
            else:
                self.steps.append(Source(at, key, value, at + 1, (begin, mark.start())))
            begin = mark.end()
        if not line.startswith("|"):
            self.table = self.table_command = None
            return
        cells = [(found.start(1), found.end(1)) for found in re.finditer(r"(?<=\|)((?:\\\||[^|])*)(?=\|)", line)]
        if self.table is None:
            names = {line[begin:end].strip().partition(",")[0]: column for column, (begin, end) in enumerate(cells)}
            self.table = names if {"silicon", "podsim", "error", "command"} <= set(names) else {}
        elif self.table and not line.startswith("|---"):
            self.row_of_commands(at, line, cells)

    def row_of_commands(self, at, line, cells):
        silicon, podsim, error = (cells[self.table[name]] for name in ("silicon", "podsim", "error"))
        text = MARK.sub("", line[slice(*cells[self.table["command"]])]).strip()
        quoted = re.match(r"`([^`]+)`$", text)
        if quoted:
            self.table_command = "podsim " + quoted.group(1)
        elif not text.startswith("the same") or not self.table_command:
            raise DocumentError(f"{at + 1}: the cell '{text}' has no command, nor is it that of the row above")
        if self.table_command.startswith("podsim selftest"):
            self.steps.append(NotRun(at, self.table_command, "a test of its own"))
            return
        more = "".join(" " + flags for flags in re.findall(r"`([^`]+)`", text)) if not quoted else ""
        selectors = self.selectors or []
        has_silicon = bool(line[slice(*silicon)].strip())
        if not has_silicon and len(selectors) != 2:
            raise DocumentError(f"{at + 1}: the mark 'line: WORDS; WORDS' says where podsim and error are printed")
        self.steps.append(Figures(at, *podsim, self.table_command + more, False, selectors[:1]))
        if has_silicon:
            self.steps.append(Error(at, silicon, podsim, error))
        else:
            self.steps.append(Figures(at, *error, self.table_command + more, False, selectors[1:]))


def selectors_in(text):
    return [selector.strip() for selector in text.split(";") if selector.strip()]


def parse(text):
    """The steps of a document, in its order."""
    return Parser(text).parse()


def figures_by_line(lines):
    """Line and figure of every number with a unit in prose and tables, which is neither in a block nor in a comment."""
    text = MARK.sub(lambda mark: re.sub(r"[^\n]", " ", mark.group()), "\n".join(lines))
    in_block = False
    for at, line in enumerate(text.split("\n")):
        if line.startswith("```"):
            in_block = not in_block
        elif not in_block:
            yield from ((at, figure) for figure in figures.figures_in(line, True))


def owned(steps, line, figure):
    """Whether a mark behind it says where a figure is from."""
    for step in steps:
        if isinstance(step, (Figures, Source)) and step.line == line:
            columns = step.columns if isinstance(step, Source) else (step.begin, step.end)
            if columns and columns[0] <= figure.begin < columns[1]:
                return True
        elif isinstance(step, Error) and step.line == line:
            if any(begin <= figure.begin < end for begin, end in (step.silicon, step.podsim, step.error)):
                return True
        elif isinstance(step, NotRun) and step.line == line:
            return True
    return False


def without_source(lines, steps):
    """Line and figure of every number with a unit of which nothing says where it is from."""
    paragraphs = [step for step in steps if isinstance(step, Source) and step.columns is None]
    return [(at, figure) for at, figure in figures_by_line(lines)
            if not any(step.line <= at < step.end for step in paragraphs) and not owned(steps, at, figure)]


def figures_of_source(lines, steps, source):
    """The figures that a mark `cited` or `not checked` speaks for."""
    if source.columns:
        return [figure for at, figure in figures_by_line(lines)
                if at == source.line and source.columns[0] <= figure.begin < source.columns[1]]
    return [figure for at, figure in figures_by_line(lines)
            if source.line <= at < source.end and not owned(steps, at, figure)]
