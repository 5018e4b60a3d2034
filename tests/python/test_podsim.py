# SPDX-License-Identifier: Apache-2.0
"""podsim on a database whose metrics are formulas, on programs that fail in known ways, and on a real sweep."""

import contextlib
import itertools
import json
import os
import pathlib
import sqlite3
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / "python")]
import podsim  # noqa: E402
import sample_database  # noqa: E402


class Folder(unittest.TestCase):
    """Each test in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="podsim-python-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Results(Folder):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "links.sqlite"
        self.count = sample_database.write_sample(self.path)
        self.study = podsim.open_study(self.path)

    def test_rows_have_axes_derived_values_and_metrics(self):
        self.assertEqual(len(self.study), self.count)
        self.assertEqual(self.study.title, "Links & batches")
        self.assertEqual(self.study.axes, ["slice", "ici.link_rate", "batch_per_core"])
        self.assertEqual(self.study.derived, ["chips", "global_batch"])
        for row in self.study.done:
            chips = sample_database.SLICES[row["slice"]]
            self.assertEqual(row["chips"], chips)
            self.assertEqual(row["ici.link_rate"], sample_database.LINKS[row.texts["ici.link_rate"]])
            self.assertEqual(row["step_time_s"],
                             sample_database.step_time(chips, row["ici.link_rate"], row["batch_per_core"]))
        self.assertEqual(self.study.baseline.name(), "slice 4x4, ici.link_rate 656 Gb/s, batch_per_core 128")
        self.assertEqual([row.position for row in self.study], list(range(self.count)))

    def test_a_folder_is_opened_by_its_only_study(self):
        self.assertEqual(len(podsim.open_study(self.folder)), self.count)
        sample_database.write_sample(self.folder / "other.sqlite")
        with self.assertRaisesRegex(podsim.PodsimError, "2 studies"):
            podsim.open_study(self.folder)

    def test_where_takes_values_texts_lists_and_functions(self):
        self.assertEqual(len(self.study.where(slice="4x4")), 16)
        self.assertEqual(len(self.study.where({"ici.link_rate": "656 Gb/s"}, slice="4x4")), 4)
        self.assertEqual(len(self.study.where({"ici.link_rate": 82e9}, slice=["4x4", "8x8"], batch_per_core=64)), 2)
        small = self.study.where(step_time_s=lambda time: time < 0.05)
        self.assertEqual({row.id for row in small}, {row.id for row in self.study.done if row["step_time_s"] < 0.05})
        with self.assertRaisesRegex(KeyError, "no 'slices'"):
            self.study.where(slices="4x4")

    def test_where_takes_true_and_false_of_a_flag(self):
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            database.execute("UPDATE axis_values SET text = CASE text WHEN '2x2' THEN 'on' ELSE 'off' END "
                             "WHERE axis = 'slice'")
            database.commit()
        study = podsim.open_study(self.path)
        small = {row.id for row in self.study.where(slice="2x2")}
        self.assertTrue(small)
        self.assertEqual({row.id for row in study.where(slice=True)}, small)
        self.assertEqual({row.id for row in study.where(slice=False)}, {row.id for row in self.study.done} - small)

    def test_points_that_failed_say_why(self):
        self.assertEqual(len(self.study.failed), 4)
        row = self.study.failed[0]
        self.assertEqual(row.exit_code, 1)
        self.assertIsNone(row.get("step_time_s"))
        with self.assertRaises(podsim.PointError) as caught:
            row["step_time_s"]
        self.assertIn("17.2 GiB", str(caught.exception))
        self.assertIn("slice 2x2", str(caught.exception))
        self.assertIn("--batch-per-core", caught.exception.command)
        with self.assertRaises(KeyError):
            row["no such metric"]

    def test_the_front_is_that_of_the_definition(self):
        def beats(one, other):
            return (one["step_time_s"] <= other["step_time_s"] and one["samples_per_s"] >= other["samples_per_s"] and
                    (one["step_time_s"], one["samples_per_s"]) != (other["step_time_s"], other["samples_per_s"]))
        expected = [row for row in self.study.done if not any(beats(other, row) for other in self.study.done)]
        expected.sort(key=lambda row: row["step_time_s"])
        front = self.study.pareto(minimise="step_time_s", maximise=["samples_per_s"])
        self.assertEqual([row.id for row in front], [row.id for row in expected])
        self.assertEqual(self.study.pareto(), front, "what the study asks for")
        best = self.study.pareto(maximise="samples_per_s")
        self.assertEqual(len(best), 1)
        self.assertEqual(best[0]["samples_per_s"], max(self.study.column("samples_per_s")))

    def test_a_point_that_is_not_eligible_is_on_no_front(self):
        best = self.study.pareto(maximise="samples_per_s")[0]
        with contextlib.closing(sqlite3.connect(self.path)) as database, database:
            report = json.loads(database.execute("SELECT value FROM study WHERE key = 'report'").fetchone()[0])
            database.execute("UPDATE study SET value = ? WHERE key = 'report'",
                             (json.dumps({**report, "eligible": "eligible"}),))
            database.executemany("INSERT INTO metrics VALUES (?, 'eligible', ?)",
                                 [(row.id, row.id != best.id) for row in self.study.done])
        rest = [row["samples_per_s"] for row in self.study.done if row.id != best.id]
        front = podsim.open_study(self.path).pareto(maximise="samples_per_s")
        self.assertEqual({row["samples_per_s"] for row in front}, {max(rest)})

    def test_sensitivity_moves_one_axis_at_a_time(self):
        found = self.study.sensitivity("step_time_s")
        self.assertEqual([row.texts["ici.link_rate"] for row in found["ici.link_rate"]], list(sample_database.LINKS))
        self.assertEqual({row["slice"] for row in found["batch_per_core"]}, {"4x4"})
        self.assertEqual(len(found["slice"]), 4)

    def test_families_are_curves_by_x(self):
        curves = self.study.families("batch_per_core", "step_time_s", "ici.link_rate", slice="8x8")
        self.assertEqual(list(curves), list(sample_database.LINKS))
        for rows in curves.values():
            self.assertEqual([row["batch_per_core"] for row in rows], [32, 64, 128, 256])

    def test_machines_come_with_their_evidence(self):
        self.assertIn('link_rate = "328 Gb/s"  # user', self.study.machine_toml(self.study[0]))
        self.assertEqual(self.study.done[0].result(), {})

    def test_what_is_no_study_is_refused(self):
        text = self.folder / "text.sqlite"
        text.write_text("no database, but a text that is long enough to be looked at\n" * 20)
        for path in (text, self.folder / "nowhere.sqlite"):
            with self.assertRaises(podsim.PodsimError):
                podsim.open_study(path)


class Program(Folder):
    """What the module makes of programs that do as they are told here."""

    def pretend(self, script):
        path = self.folder / "podsim"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        patch = mock.patch.dict(os.environ, {"PODSIM": str(path)})
        patch.start()
        self.addCleanup(patch.stop)

    def test_flags_are_words(self):
        self.pretend('printf \'["\'; printf \'%s","\' "$@"; printf \'end"]\'\n')
        words = podsim.run("resnet50", slice="4x4", batch_per_core=64, folding=True, json_=None,
                           set={"ici.link_rate": "82 GB/s"})
        self.assertEqual(words, ["run", "resnet50", "--slice", "4x4", "--batch-per-core", "64", "--folding", "--set",
                                 "ici.link_rate=82 GB/s", "--json", "end"])

    def test_diagnostics_are_in_the_exception(self):
        self.pretend("echo \"--slice: error: '4y4' is not a slice\" >&2\nexit 2\n")
        with self.assertRaises(podsim.PodsimError) as caught:
            podsim.run("resnet50", slice="4y4")
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("'4y4' is not a slice", caught.exception.diagnostics)
        self.assertIn("'4y4' is not a slice", str(caught.exception))
        self.assertIn("resnet50 --slice 4y4", str(caught.exception))

    def test_a_sweep_with_failed_points_is_no_error_unless_it_is_strict(self):
        sample_database.write_sample(self.folder / "links.sqlite")
        self.pretend("exit 3\n")
        self.assertEqual(len(podsim.sweep("links.toml", output=self.folder)), 64)
        with self.assertRaises(podsim.PodsimError):
            podsim.sweep("links.toml", output=self.folder, strict=True)

    def test_plots_say_what_they_need(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('it is not installed')\n")
        plots = pathlib.Path(podsim.__file__).parents[1] / "plots.py"
        run = subprocess.run([sys.executable, plots, "study"], env={**os.environ, "PYTHONPATH": str(self.folder)},
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr, "plots need matplotlib: apt install python3-matplotlib\n")

    def test_a_program_that_is_not_there_is_named(self):
        with mock.patch.dict(os.environ, {"PODSIM": str(self.folder / "nothing")}):
            with self.assertRaisesRegex(podsim.PodsimError, "is no program"):
                podsim.program()


@unittest.skipUnless(os.environ.get("PODSIM"), "$PODSIM does not name the program")
class RealSweep(Folder):
    def test_a_sweep_gives_what_single_runs_give(self):
        batches, links = (1, 2), ("328 Gb/s", "656 Gb/s")
        (self.folder / "small.toml").write_text(
            'title = "Small"\nmetrics = ["step_time_s", "samples_per_s"]\n'
            '[base]\nworkload = "resnet50"\nslice = "2x2"\n'
            f'[axes]\nbatch_per_core = {json.dumps(batches)}\n"ici.link_rate" = {json.dumps(links)}\n')
        study = podsim.sweep(self.folder / "small.toml", jobs=2, output=self.folder / "small")
        self.assertEqual([row.name() for row in study],
                         [f"batch_per_core {batch}, ici.link_rate {link}"
                          for batch, link in itertools.product(batches, links)])
        for row in study:
            self.assertTrue(row.done, row.error)
            result = podsim.run("resnet50", slice="2x2", batch_per_core=int(row["batch_per_core"]),
                                set={"ici.link_rate": row.texts["ici.link_rate"]})
            self.assertEqual(row["step_time_s"], result["step_time_s"])
            self.assertEqual(row.result()["step_time_ps"], result["step_time_ps"])

    def test_what_the_program_says_of_a_bad_study_arrives(self):
        (self.folder / "bad.toml").write_text('[base]\nworkload = "resnet50"\n[axes]\nslicee = ["2x2"]\n')
        with self.assertRaises(podsim.PodsimError) as caught:
            podsim.sweep(self.folder / "bad.toml", output=self.folder / "bad")
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("slicee", caught.exception.diagnostics)


if __name__ == "__main__":
    unittest.main()
