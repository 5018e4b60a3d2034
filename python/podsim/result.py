# SPDX-License-Identifier: Apache-2.0
"""What the simulation of one step found, as Python objects."""

import csv
import html
import json
import os
import pathlib
import re
import tempfile
from typing import Any, Dict, List, Mapping, Optional

import podsim

__all__ = ["Result", "simulate_text"]


class Result:
    """A simulated step. In a notebook it shows as its report.

    data: what `podsim run --json` prints (docs/guide.md); ops: a dict for each op, costliest first, with the columns of
    ops.csv, numbers as float; report: the page of the run, one HTML text; text: the program that ran.
    """

    def __init__(self, data: Dict[str, Any], ops: List[Dict[str, Any]], summary: str, report: str, text: str):
        self.data, self.ops, self.summary, self.report, self.text = data, ops, summary, report, text

    @property
    def step_time_s(self) -> float:
        return self.data["step_time_s"]

    @property
    def breakdown_s(self) -> Dict[str, float]:
        """Seconds of the step by what the core does."""
        return self.data["breakdown_s"]

    @property
    def collectives(self) -> List[Dict[str, Any]]:
        return self.data["collectives"]

    @property
    def memory(self) -> Dict[str, Any]:
        """Of one core: peak_bytes_per_core, argument_bytes_per_core, largest_at_peak, ..."""
        return self.data["memory"]

    @property
    def warnings(self) -> List[str]:
        return self.data["warnings"]

    def dataframe(self) -> Any:
        """The ops as a DataFrame of pandas, which has to be installed."""
        import pandas  # pylint: disable=import-outside-toplevel
        return pandas.DataFrame(self.ops)

    def __repr__(self) -> str:
        return f"Result(step_time_s={self.step_time_s:.6g}, slice={self.data['slice']!r}, ops={len(self.ops)})"

    def __str__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.report)}" width="100%" height="700" frameborder="0"></iframe>'


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


class _Sources:
    """Lines of the user's source, from the locations in StableHLO text."""

    def __init__(self, text: str):
        self._lines = text.split("\n")
        self._places = dict(re.findall(r"^(#\w+) = loc\((.*)\)$", text, re.MULTILINE))

    def of_line(self, number: int, depth: int = 0) -> Optional[str]:
        """FILE:LINE of the operation on a line, or of the call of the function that it is in."""
        if not 1 <= number <= len(self._lines) or depth > 20:
            return None
        return self._of_place(self._place(number)) or self._of_caller(number, depth)

    def _place(self, number: int) -> str:
        """The location at the end of an operation, whose regions may have lines of their own."""
        first = self._lines[number - 1]
        indent = len(first) - len(first.lstrip())
        for line in self._lines[number - 1:]:
            if len(line) - len(line.lstrip()) == indent and "loc(" in line:
                return line.rpartition("loc(")[2]
        return ""

    def _of_place(self, place: str, depth: int = 0) -> Optional[str]:
        found = re.search(r'"([^"]+)":(\d+)', place)
        if found:
            return f"{found[1]}:{found[2]}"
        inner = [self._of_place(self._places.get(name, ""), depth + 1) for name in re.findall(r"#\w+", place)
                 if depth < 20]
        return next((one for one in inner if one), None)

    def _of_caller(self, number: int, depth: int) -> Optional[str]:
        for line in reversed(self._lines[:number]):
            function = re.search(r"func\.func private (@[\w.]+)\(", line)
            if function:
                call = f"call {function[1]}("
                callers = [i + 1 for i, each in enumerate(self._lines) if call in each]
                return self.of_line(callers[0], depth + 1) if callers else None
        return None


def _source_lines(diagnostics: str, name: str, text: str) -> str:
    """The diagnostics, with the line of the user's source after each that has a place in the text."""
    sources, result, written = _Sources(text), [], ""
    for line in [*diagnostics.rstrip("\n").split("\n"), ""]:
        if written and not line.startswith("  "):  # the excerpt of the text has ended
            result.append(written)
            written = ""
        result.append(line)
        at = re.search(rf"(?:^|/){re.escape(name)}:(\d+):", line)
        source = sources.of_line(int(at[1])) if at else None
        written = f"  written at {source}" if source else written
    return "\n".join(result).rstrip("\n")


def simulate_text(text: str, *, slice: Optional[str] = None, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
                  **flags: Any) -> Result:
    """Simulates a program in HLO or StableHLO text. `slice` is that of --slice, `set` are keys of the machine, other
    arguments are flags of `podsim run`, with _ for -. Raises PodsimError, with the lines of the user's source where the
    text has them."""
    name = "program.mlir" if not text.lstrip().startswith("HloModule") else "program.hlo"
    with tempfile.TemporaryDirectory(prefix="podsim-") as folder:
        path, output = pathlib.Path(folder) / name, pathlib.Path(folder) / "run"
        path.write_text(text, encoding="utf-8")
        try:
            data = podsim.run(os.fspath(path), slice=slice, set=set, output=os.fspath(output), **flags)
        except podsim.PodsimError as error:
            diagnostics = _source_lines(error.diagnostics, name, text)
            raise podsim.PodsimError("the program cannot be simulated", error.command, error.code,
                                     diagnostics.replace(f"{folder}{os.sep}", "")) from None
        with open(output / "ops.csv", newline="", encoding="utf-8") as file:
            ops = [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(file)]
        summary = (output / "summary.txt").read_text(encoding="utf-8")
        report = (output / "report.html").read_text(encoding="utf-8")
    data["workload"] = name
    data["warnings"] = [warning.replace(f"{folder}{os.sep}", "") for warning in data["warnings"]]
    return Result(json.loads(json.dumps(data)), ops, summary.replace(f"{folder}{os.sep}", ""), report, text)
