# SPDX-License-Identifier: Apache-2.0
"""The formats that the program reads: valid inputs, the changes that damage them, and the commands that read them."""
import os, shutil, subprocess
from pathlib import Path

from changes import *
from splices import NAMES, NUMBERS, REGIONS, TOKENS
from wire import DELIMITED, JSON, MESSAGES

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("PODSIM_SHARED", ROOT.parent / "shared"))
LARGEST_SEED = 60_000


class Format:
    """Seeds, changes and command lines of a format; INPUT stands for the damaged file, FOLDER for a scratch folder.

    `changes` take any bytes; those of `form` (splices.py, wire.py) keep the form of an input and take the sound ones,
    too. An input has changes of one of the two."""

    def __init__(self, suffix, seeds, changes, commands, form=(), binary=False):
        self.suffix, self.changes, self.commands, self.form = suffix, changes, commands, list(form)
        self.seeds = [Path(seed).read_bytes() for seed in seeds]
        self.seeds = [seed for seed in self.seeds if len(seed) <= LARGEST_SEED or binary]

    def damaged(self, rng, folder, kinds=("damage", "form")):
        data = rng.choice(self.seeds)
        formed = rng.choice(kinds) == "form" and self.form
        for _ in range(rng.choice([1, 1, 2, 3] if formed else [1, 1, 1, 2, 3, 8])):
            if formed:
                data = rng.choice(self.form)(rng, data, self.seeds)
                continue
            change = rng.choice(self.changes)
            data = change(rng, data, folder) if change is damaged_database else change(rng, data)
        return data


def made_by_the_program(program, folder):
    """Valid inputs of the formats that the program writes."""
    def run(*arguments):
        subprocess.run([program, *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    inputs = ROOT / "tests/outputs/inputs"
    run("run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--loop", "steps=4", "-o", "run")
    run("run", inputs / "layers.hlo", "--sharding", inputs / "cuts.toml", "-o", "cut")
    run("run", "resnet50", "--slice", "1x1", "--batch-per-core", "2", "-o", "traced", "--chakra")
    run("run", "resnet50", "--slice", "2x2", "--batch-per-core", "4", "-o", "other")
    for name in ["machine.toml", "study.toml"]:
        shutil.copy(inputs / name, folder)
    run("sweep", "study.toml", "-o", "study")
    run("run", inputs / "layers.hlo", "--op-cache", "ops.cache")
    for kernel in ["matmul", "softmax"]:
        run("kernel", kernel, "--emit", f"{kernel}.pasm")


def part_of_profiles(folder):
    """A few rows of every measured profile there is."""
    for profile in sorted((SHARED / "measurements/op_profiles").glob("*.csv")):
        lines = lines_of(profile.read_bytes())
        part = folder / f"part_of_{profile.name}"
        part.write_bytes(b"\n".join(lines[:1] + lines[1::max(1, len(lines) // 12)]) + b"\n")
        yield part


def make_formats(folder):
    inputs, seeds = ROOT / "tests/outputs/inputs", ROOT / "tests/fuzz"
    shared_hlo = sorted((SHARED / "hlo_corpus").glob("xla_embedded/**/*.hlo"))[:40]
    profiles = [seeds / "seeds/rows.csv", *part_of_profiles(folder)]
    machines = sorted((ROOT / "workloads/machines").glob("*.toml"))
    run_files = sorted(path.relative_to(folder) for of in ("run", "cut") for path in (folder / of).iterdir()
                       if path.suffix in {".json", ".csv", ".toml"})
    programs = TOKENS * 2 + REGIONS * 3 + NUMBERS * 2 + NAMES
    pages = TOKENS * 2 + NUMBERS * 2 + NAMES
    hlo = [*inputs.glob("*.hlo"), *seeds.glob("seeds/hlo/*.hlo"), *shared_hlo]
    array = folder / "array.npy"
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    array.write_bytes(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117) + b"\n" + bytes(24))
    formats = {
        "hlo": Format(".hlo", hlo, HLO, [
            ["hlo", "check", "INPUT"], ["hlo", "partition", "INPUT", "--mesh", "x=2"],
            ["hlo", "eval", "INPUT", "--seed", "1", "--limit", "3s"], ["run", "INPUT", "--slice", "1x1", "--limit", "3s"]], form=programs),
        "protobuf": Format(".pb", [*seeds.glob("seeds/hlo/*.pb"), *(SHARED / "measurements").glob("*.pb")], BYTES, [
            ["hlo", "check", "INPUT"], ["run", "INPUT", "--slice", "2x2", "--limit", "3s"], ["tiles", "INPUT"]], form=MESSAGES),
        "stablehlo": Format(".mlir", sorted((ROOT / "tests/hlo/stablehlo/programs").glob("*/*.mlir")), HLO, [
            ["hlo", "check", "INPUT"], ["hlo", "eval", "INPUT", "--seed", "1", "--limit", "3s"],
            ["run", "INPUT", "--limit", "3s"]], form=programs),
        "machine": Format(".toml", machines + [inputs / "machine.toml"], TOML, [
            ["describe", "INPUT"], ["collective", "all-reduce", "--bytes", "1MiB", "--machine", "INPUT", "--limit", "3s"],
            ["kernel", "matmul", "--m", "128", "--machine", "INPUT", "--limit", "3s"]], form=pages),
        "net": Format(".toml", sorted(inputs.glob("net_*.toml")), TOML, [
            ["hlo", "stats", "INPUT"], ["run", "INPUT", "--limit", "3s"]], form=pages),
        "study": Format(".toml", [*inputs.glob("*study.toml"), *(ROOT / "studies/shipped").glob("*.toml")], TOML, [
            ["sweep", "INPUT", "--dry-run", "-o", "FOLDER/study"]], form=pages),
        "sharding": Format(".toml", [inputs / "heads.toml", inputs / "batch.toml"], SHARDING, [
            ["hlo", "partition", "transformer", "--mesh", "d=4,m=8", "--set", "model.layers=1", "--sharding", "INPUT"],
            ["run", "transformer", "--mesh", "d=4,m=8", "--set", "model.layers=1", "--sharding", "INPUT", "--limit", "3s"]], form=pages),
        "sharding of a module": Format(".toml", [inputs / "cuts.toml"], SHARDING, [
            ["hlo", "partition", inputs / "layers.hlo", "--sharding", "INPUT"],
            ["run", inputs / "layers.hlo", "--sharding", "INPUT", "--limit", "3s"]], form=pages),
        "costs": Format(".toml", [seeds / "seeds/costs.toml"], TOML, [
            ["run", seeds / "seeds/custom_calls.hlo", "--costs", "INPUT", "--limit", "3s"]], form=pages),
        "rows": Format(".csv", profiles, ROWS, [["ops", "INPUT"]], form=TOKENS + NUMBERS + NAMES),
        "profiler's trace": Format(".xplane.pb", [seeds / "seeds/ops.xplane.pb"], BYTES, [["ops", "INPUT"]], form=MESSAGES),
        "layers": Format(".csv", [inputs / "layers.csv", inputs / "products.csv"], TEXT + [csv_cell] * 6, [
            ["run", "INPUT", "--limit", "3s"], ["run", "INPUT", "--convention", "scale-sim", "--limit", "3s"]], form=pages),
        "assembly": Format(".pasm", [*folder.glob("*.pasm"), inputs / "sums.pasm"], PASM, [
            ["kernel", "INPUT", "--limit", "3s"]], form=TOKENS * 3 + NUMBERS),
        "arrays": Format(".npy", [array], [flip_bits, change_number, cut_off, insert_piece, remove_part], [
            ["hlo", "eval", seeds / "seeds/one_array.hlo", "--args", "INPUT"]]),
        "trace": Format(".et", [folder / "traced/chakra/step.0.et"], [flip_bits, change_number, cut_off, insert_piece, remove_part],
                        [["trace", "check", "FOLDER/traced"]], form=DELIMITED, binary=True),
        "process groups": Format(".json", [folder / "traced/chakra/comm_group.json"], TEXT, [
            ["trace", "check", "FOLDER/traced"]], form=JSON + TOKENS),
        "database": Format(".sqlite", [folder / "study/study.sqlite"], [flip_bits, cut_off] + [damaged_database] * 4, [
            ["report", "FOLDER/study", "-o", "FOLDER/page.html"],
            ["sweep", folder / "study.toml", "-o", "FOLDER/study", "--dry-run"]], binary=True),
    }
    formats["op cache"] = Format(".cache", [folder / "ops.cache"], BYTES, [
        ["run", inputs / "layers.hlo", "--op-cache", "INPUT", "--limit", "3s"]], binary=True)
    for file in run_files:
        changes = {".json": TEXT, ".csv": TEXT + [csv_cell] * 4, ".toml": TOML}[file.suffix]
        form = {".json": JSON, ".csv": TOKENS + NUMBERS + NAMES, ".toml": pages}[file.suffix]
        formats[f"run folder, {file}"] = Format(file.suffix, [folder / file], changes, [
            ["report", "FOLDER/run", "-o", "FOLDER/page.html"], ["compare", "FOLDER/run", folder / "other"]], form, binary=True)
    return formats
