# SPDX-License-Identifier: Apache-2.0
"""Runs podsim from Python and reads the results of studies. Needs only Python 3.9 and its standard library.

    import podsim

    result = podsim.run("resnet50", slice="4x4", batch_per_core=128, set={"ici.link_rate": "1312 Gb/s"})
    print(result["step_time_s"])

    study = podsim.sweep("study.toml", jobs=2)            # or podsim.open_study("study/study.sqlite")
    for row in study.where(slice="4x4", batch_per_core=lambda batch: batch >= 64):
        print(row["ici.link_rate"], row["step_time_s"])
    print(study.pareto(minimise="step_time_s", maximise="samples_per_s"))

The program is the one that $PODSIM names, else `podsim` on the PATH, else ./podsim of the checkout with this file.
"""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import sqlite3
import subprocess
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

__all__ = ["PodsimError", "PointError", "Row", "Study", "open_study", "program", "run", "sweep"]

SCHEMA_VERSION = "1"
SOME_POINTS_FAILED = 3  # exit code of a sweep whose other points are done

Names = Union[str, Sequence[str]]


class PodsimError(Exception):
    """The program failed.

    command: the command line; code: its exit code (2: bad input, 1: a simulation that cannot proceed), None if it did
    not run; diagnostics: its stderr.
    """

    def __init__(self, message: str, command: Sequence[str] = (), code: Optional[int] = None, diagnostics: str = ""):
        super().__init__(f"{message}\n{diagnostics.rstrip()}" if diagnostics else message)
        self.command = list(command)
        self.code = code
        self.diagnostics = diagnostics


class PointError(PodsimError):
    """A metric of a failed point was read; `row` is the point."""

    def __init__(self, row: "Row", metric: str):
        super().__init__(f"the point {row.name()} failed and has no {metric}; {row.command}", shlex.split(row.command),
                         row.exit_code, row.error)
        self.row = row


# --- the program ------------------------------------------------------------------------------------------------------

def program() -> str:
    """The program that is run."""
    named = os.environ.get("PODSIM")
    if named:
        found = shutil.which(named)
        if not found:
            raise PodsimError(f"$PODSIM is '{named}', which is no program")
        return found
    found = shutil.which("podsim")
    if found:
        return found
    checkout = pathlib.Path(__file__).resolve().parents[2] / "podsim"
    if os.access(checkout, os.X_OK):
        return str(checkout)
    raise PodsimError("podsim is not on the PATH; set $PODSIM to the program")


def _call(words: Sequence[str], allowed: Iterable[int] = (0,)) -> subprocess.CompletedProcess:
    command = [program(), *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode not in allowed:
        what = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise PodsimError(f"{shlex.join(command)}: {what}", command, done.returncode, done.stderr)
    return done


def _flags(flags: Mapping[str, Any]) -> List[str]:
    """batch_per_core=128 is --batch-per-core 128; True is a flag by itself, None and False are none; a list repeats
    the flag."""
    words: List[str] = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words += [flag, str(one)]
    return words


def run(workload: str, *, set: Optional[Mapping[str, Any]] = None, **flags: Any) -> Dict[str, Any]:
    """Runs `podsim run WORKLOAD --json` and returns its JSON. `set` are machine keys and values; other arguments are
    flags, with _ for -. Raises PodsimError with the program's diagnostics if it fails."""
    words = ["run", str(workload), *_flags(flags)]
    for key, value in (set or {}).items():
        words += ["--set", f"{key}={value}"]
    return json.loads(_call([*words, "--json"]).stdout)


def sweep(study: Union[str, os.PathLike], *, jobs: Optional[int] = None, output: Union[str, os.PathLike, None] = None,
          resume: bool = False, rerun: bool = False, timeout: Optional[int] = None, strict: bool = False) -> "Study":
    """Runs the points of a study that are not done, `jobs` at a time, and opens the results. `output` is the folder
    [the study's name]; `rerun` runs points again that another build of the program ran; a point that takes more than
    `timeout` seconds fails. Failed points are rows without metrics; `strict` raises PodsimError for them."""
    name = pathlib.Path(study).stem
    folder = pathlib.Path(output) if output is not None else pathlib.Path(name)
    words = ["sweep", os.fspath(study), "-o", str(folder)]
    if jobs is not None:
        words += ["-j", str(jobs)]
    if resume:
        words.append("--resume")
    if rerun:
        words.append("--rerun")
    if timeout is not None:
        words += ["--timeout", str(timeout)]
    _call(words, allowed=(0,) if strict else (0, SOME_POINTS_FAILED))
    return open_study(folder / f"{name}.sqlite")


# --- results ----------------------------------------------------------------------------------------------------------

class Row(Mapping[str, Any]):
    """A point. row["step_time_s"] is an axis, derived value or metric by its name: a number where it is one, else a
    text. A metric of a point that failed raises PointError; row.get(name) gives None instead."""

    def __init__(self, study: "Study", fields: Mapping[str, Any]):
        self._study = study
        self.id: str = fields["id"]
        self.position: int = fields["position"]
        self.done: bool = fields["status"] == "done"
        self.exit_code: int = fields["exit_code"]
        self.error: str = fields["error"]  # last lines of what a failed point printed
        self.command: str = fields["command"]  # the line that runs it again
        self.machine: Optional[str] = fields["machine"]  # see Study.machine_toml
        self.axes: Dict[str, Any] = {}
        self.derived: Dict[str, Any] = {}
        self.metrics: Dict[str, float] = {}
        self.texts: Dict[str, str] = {}  # of axes and derived values, as the study wrote them: "656 Gb/s"

    def _value(self, name: str) -> Any:
        for values in (self.axes, self.derived, self.metrics):
            if name in values:
                return values[name]
        raise KeyError(name)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._value(name)
        except KeyError:
            if not self.done and name in self._study.metrics:
                raise PointError(self, name) from None
            raise

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self._value(name)
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        return iter({**self.axes, **self.derived, **self.metrics})

    def __len__(self) -> int:
        return len({**self.axes, **self.derived, **self.metrics})

    def __contains__(self, name: object) -> bool:
        return any(name in values for values in (self.axes, self.derived, self.metrics))

    def name(self) -> str:
        """The axes that vary: "slice 4x4, ici.link_rate 656 Gb/s"."""
        return ", ".join(f"{axis} {self.texts[axis] or 'not set'}" for axis in self._study.varied) or self.id

    def result(self) -> Optional[Dict[str, Any]]:
        """The JSON that the point's command printed with --json; None for a failed point."""
        return self._study.result(self.id)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.items())
        return f"<{'' if self.done else 'failed '}point {self.position}: {shown}>"


class Study(Sequence[Row]):
    """The points of a study's database by position: len(study), study[0], `for row in study`.

    title, question: of the study; axes, derived, metrics: names in its order; units: of axes and metrics, by name;
    varied: the axes with more than one value; minimise, maximise: the objectives of its report.
    """

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = pathlib.Path(path)
        if self.path.is_dir():
            found = sorted(self.path.glob("*.sqlite"))
            if len(found) != 1:
                raise PodsimError(f"{self.path} holds {len(found) or 'no'} studies")
            self.path = found[0]
        if not self.path.exists():
            raise PodsimError(f"there is no {self.path}")
        try:
            with self._database() as database:
                self._read(database)
        except (sqlite3.DatabaseError, LookupError, TypeError, ValueError) as error:
            raise PodsimError(f"{self.path} is not a study's database: {error}") from error

    def _database(self) -> contextlib.AbstractContextManager:
        database = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)
        database.row_factory = sqlite3.Row
        return contextlib.closing(database)

    def _read(self, database: sqlite3.Connection) -> None:
        database.execute("BEGIN")  # a consistent view of all tables
        facts = dict(database.execute("SELECT key, value FROM study").fetchall())
        if facts.get("schema_version") != SCHEMA_VERSION:
            raise PodsimError(f"{self.path} has schema version {facts.get('schema_version')}, this module reads "
                              f"{SCHEMA_VERSION}")
        self.name, self.title, self.question = facts["name"], facts["title"], facts["question"]
        self.text, self.program = facts["text"], facts["program"]
        axes, metrics = json.loads(facts["axes"]), json.loads(facts["metrics"])
        self.axes = [axis["name"] for axis in axes]
        self.groups = {axis["name"]: axis["group"] for axis in axes}  # equal for axes that move together
        self.derived = json.loads(facts["derived"])
        self.metrics = [metric["name"] for metric in metrics]
        self.units = {one["name"]: one["unit"] for one in axes + metrics}
        report = json.loads(facts["report"])
        self.minimise, self.maximise, self.x = report["minimise"], report["maximise"], report["x"]
        self._eligible = report.get("eligible", "")  # the metric that is 0 for points that cannot be the best
        self._rows = self._read_rows(database)
        self.varied = [axis for axis in self.axes if len({row.texts.get(axis) for row in self._rows}) > 1]
        baseline = [row for row in self._rows if row.id == facts["baseline"]]
        self.baseline: Optional[Row] = baseline[0] if baseline else None

    def _read_rows(self, database: sqlite3.Connection) -> List[Row]:
        points = database.execute("SELECT id, position, status, exit_code, error, command, machine FROM points "
                                  "ORDER BY position, id")
        rows = {point["id"]: Row(self, point) for point in points}
        for point, axis, kind, text, number in database.execute(
                "SELECT point, axis, kind, text, number FROM axis_values ORDER BY rowid"):
            values = rows[point].axes if kind == "axis" else rows[point].derived
            values[axis] = text if number is None else number
            rows[point].texts[axis] = text
        for point, metric, value in database.execute("SELECT point, metric, value FROM metrics ORDER BY rowid"):
            rows[point].metrics[metric] = value
        return list(rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index):
        return self._rows[index]

    def __repr__(self) -> str:
        return f"<study {self.title!r}: {len(self.done)} points done, {len(self.failed)} failed>"

    @property
    def done(self) -> List[Row]:
        return [row for row in self._rows if row.done]

    @property
    def failed(self) -> List[Row]:
        return [row for row in self._rows if not row.done]

    def _known(self, name: str) -> str:
        if name in self.axes or name in self.derived or name in self.metrics:
            return name
        names = ", ".join([*self.axes, *self.derived, *self.metrics])
        raise KeyError(f"the study has no {name!r}; it has {names}")

    def where(self, conditions: Optional[Mapping[str, Any]] = None, **more: Any) -> List[Row]:
        """Done points that satisfy every condition: a value, as text or number; a list of values; or a function of the
        value. Names with dots go into a dict: where({"ici.link_rate": "656 Gb/s"}, slice="4x4")."""
        wanted = {**(conditions or {}), **more}
        for name in wanted:
            self._known(name)
        return [row for row in self.done if all(_fits(row, name, want) for name, want in wanted.items())]

    def column(self, name: str, rows: Optional[Iterable[Row]] = None) -> List[Any]:
        """One value of every done point, or of `rows`."""
        self._known(name)
        return [row[name] for row in (self.done if rows is None else rows)]

    def families(self, x: str, metric: str, family: Optional[str] = None,
                 **where: Any) -> Dict[str, List[Row]]:
        """Done points with both values, by the text of `family`, each list by x."""
        curves: Dict[str, List[Row]] = {}
        for row in self.where(**where):
            if x in row and metric in row:
                curves.setdefault("" if family is None else _text(row, self._known(family)), []).append(row)
        for rows in curves.values():
            rows.sort(key=lambda row: (True, row.position) if isinstance(row[x], str) else (False, row[x]))
        return curves

    def pareto(self, minimise: Names = (), maximise: Names = (), rows: Optional[Iterable[Row]] = None) -> List[Row]:
        """The done points (or those of `rows`) that no other point dominates, the best in the first objective first.
        The default objectives are those of the study's report. Points that lack one of the values are left out, and
        those that do not satisfy the study's metric_constraints."""
        least, most = _names(minimise), _names(maximise)
        if not least and not most:
            least, most = self.minimise, self.maximise
        if not least and not most:
            raise PodsimError("the study asks for no objectives; name some: pareto(minimise='step_time_s')")
        for name in [*least, *most]:
            self._known(name)
        candidates = []
        for row in self.done if rows is None else rows:
            if all(name in row for name in [*least, *most]) and row.metrics.get(self._eligible, 1) != 0:
                costs = (*(row[name] for name in least), *(-row[name] for name in most))
                candidates.append((costs, row.position, row))
        candidates.sort(key=lambda candidate: candidate[:2])
        front: List[tuple] = []
        for candidate in candidates:  # all points that dominate a point come before it
            if not any(_beats(other[0], candidate[0]) for other in front):
                front.append(candidate)
        return [row for _, _, row in front]

    def sensitivity(self, metric: str) -> Dict[str, Optional[List[Row]]]:
        """For each axis that varies, the baseline and the points that differ from it in this axis alone, sorted by the
        axis; None if there is no such point. Axes that move together are named by the first of them."""
        self._known(metric)
        if self.baseline is None or not self.baseline.done:
            raise PodsimError("the study's baseline was not done")
        found: Dict[str, Optional[List[Row]]] = {}
        for axis in self.varied:
            together = [other for other in self.axes if self.groups[other] == self.groups[axis]]
            if together[0] != axis and together[0] in self.varied:
                continue
            rows = [row for row in self.done if metric in row and all(
                row.texts[other] == self.baseline.texts[other] for other in self.axes if other not in together)]
            rows.sort(key=lambda row: row[axis] if not isinstance(row[axis], str) else row[metric])
            found[axis] = rows if len(rows) > 1 else None
        return found

    def result(self, point: str) -> Optional[Dict[str, Any]]:
        with self._database() as database:
            row = database.execute("SELECT result FROM points WHERE id = ?", (point,)).fetchone()
        return json.loads(row["result"]) if row and row["result"] else None

    def machine_toml(self, row: Row) -> Optional[str]:
        """The resolved machine of a point, with the evidence of its values, as a machine file."""
        with self._database() as database:
            found = database.execute("SELECT toml FROM machines WHERE hash = ?", (row.machine,)).fetchone()
        return found["toml"] if found else None


def open_study(path: Union[str, os.PathLike]) -> Study:
    """A study's database, or the folder of one."""
    return Study(path)


def _names(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _text(row: Row, name: str) -> str:
    return row.texts[name] if name in row.texts else str(row[name])


def _fits(row: Row, name: str, want: Any) -> bool:
    if name not in row:
        return False
    if callable(want):
        return bool(want(row[name]))
    choices = want if isinstance(want, (list, tuple, set, frozenset, range)) else [want]
    return any(_is(row, name, choice) for choice in choices)


def _is(row: Row, name: str, choice: Any) -> bool:
    if isinstance(choice, bool):  # a flag, which a study sets with true and keeps as "on"
        return row.texts.get(name) == ("on" if choice else "off")
    return row[name] == choice or row.texts.get(name) == choice


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other))
