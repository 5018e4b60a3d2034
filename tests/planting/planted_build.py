# SPDX-License-Identifier: Apache-2.0
"""A test program whose library has planted sources of one folder, made of a release build's objects."""

import json
import pathlib
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import mutations

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOBS = 2


class BuildFailure(Exception):
    pass


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


class PlantedBuild:
    def __init__(self, build, folder, scratch):
        self.build, self.folder, self.scratch = build, folder, scratch
        self.layer = folder.split("/")[0]
        commands = json.loads((build / "compile_commands.json").read_text())
        units = f"podsim_{self.layer}.dir/Unity/"
        self.units = {pathlib.Path(entry["file"]): shlex.split(entry["command"]) for entry in commands
                      if units in entry["file"]}
        if not self.units:
            raise BuildFailure(f"{build} has no unity build of the library of {self.layer}")
        self.directory = pathlib.Path(next(entry["directory"] for entry in commands if units in entry["file"]))

    def sources(self):
        return sorted(path for path in (ROOT / self.folder).glob("*.cpp"))

    def command(self, unit, source, ends):
        words = list(self.units[unit])
        at = words.index("-o")
        del words[at:at + 2]
        at = words.index("-c")
        return words[:at] + ["-w", "-include", str(ROOT / "tests/planting/plant.h"), *ends, str(source)]

    def copy_of(self, source):
        return self.scratch / "sources" / source.relative_to(ROOT)

    def unit_of(self, source):
        return next(unit for unit in self.units if f'"{source}"' in unit.read_text())

    def sift(self, source, chosen):
        """Writes the planted copy of a source; leaves out what does not compile. Returns what is left."""
        copy = self.copy_of(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text()
        while True:
            copy.write_text(mutations.planted(text, chosen))
            done = run(self.command(self.unit_of(source), copy, ["-fsyntax-only"]), cwd=self.directory)
            if done.returncode == 0:
                return chosen
            bad = {int(line) - 1 for line in re.findall(rf"{re.escape(str(copy))}:(\d+):", done.stderr)}
            left = [pair for pair in chosen if pair[1].line not in bad]
            if len(left) == len(chosen):
                near = {line + step for line in bad for step in range(-3, 4)}
                left = [pair for pair in chosen if pair[1].line not in near]
            if len(left) == len(chosen):
                left = []  # the source does not compile alone
            if not chosen:
                raise BuildFailure(f"{source.relative_to(ROOT)} does not compile by itself:\n{done.stderr[:2000]}")
            chosen = left

    def link(self, chosen_of):
        """Compiles the units of planted sources and links the test program of the layer; returns its path."""
        units = {self.unit_of(source) for source in chosen_of}
        objects = []

        def compiled(unit):
            text = unit.read_text()
            for source in chosen_of:
                text = text.replace(f'"{source}"', f'"{self.copy_of(source)}"')
            copy = self.scratch / unit.name
            copy.write_text(text)
            target = copy.with_suffix(".o")
            done = run(self.command(unit, copy, ["-o", str(target), "-c"]), cwd=self.directory)
            if done.returncode:
                raise BuildFailure(done.stderr[:4000])
            return str(target)

        with ThreadPoolExecutor(JOBS) as pool:
            objects = list(pool.map(compiled, sorted(units)))
        program = f"tests/{self.layer}_tests"
        lines = run(["ninja", "-C", str(self.build), "-t", "commands", program]).stdout.strip().split("\n")
        line = next(part for part in lines[-1].split(" && ") if f"-o {program}" in part)
        words = shlex.split(line)
        at = words.index("-o")
        words[at:at + 2] = [*objects, "-o", str(self.scratch / "planted_tests")]
        done = run(words, cwd=self.build)
        if done.returncode:
            raise BuildFailure(done.stderr[:4000])
        return self.scratch / "planted_tests"
