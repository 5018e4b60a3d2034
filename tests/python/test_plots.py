# SPDX-License-Identifier: Apache-2.0
"""plots.py on a database whose metrics are formulas; skipped where there is no matplotlib."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / "python")]
try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest("matplotlib is not installed") from error
import plots  # noqa: E402
import podsim  # noqa: E402
import sample_database  # noqa: E402


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="podsim-plots-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        sample_database.write_sample(self.folder / "links.sqlite")
        self.study = podsim.open_study(self.folder)
        figure, self.axes = plots.plt.subplots()
        self.addCleanup(plots.plt.close, figure)

    def test_curves_have_the_points_of_their_family(self):
        plots.curves(self.axes, self.study, "ici.link_rate", "step_time_s", "batch_per_core")
        self.assertEqual([line.get_label() for line in self.axes.lines], ["32", "64", "128", "256"])
        for line in self.axes.lines:
            self.assertEqual(list(line.get_xdata()), list(sample_database.LINKS.values()))
            expected = [sample_database.step_time(16, link, float(line.get_label())) for link in line.get_xdata()]
            self.assertEqual(list(line.get_ydata()), expected)

    def test_the_front_is_joined(self):
        plots.pareto(self.axes, self.study)
        everything, front = self.axes.lines
        self.assertEqual(len(everything.get_xdata()), len(self.study.done))
        self.assertEqual(sorted(front.get_xdata()), sorted(row["step_time_s"] for row in self.study.pareto()))

    def test_bars_reach_from_the_baseline_to_the_ends(self):
        plots.tornado(self.axes, self.study, "step_time_s")
        ends = {round(patch.get_x() + patch.get_width(), 12) for patch in self.axes.patches}
        for batch in (32, 256):
            self.assertIn(round(sample_database.step_time(16, 82e9, batch), 12), ends)

    def test_the_script_writes_three_pictures(self):
        script = pathlib.Path(plots.__file__)
        done = subprocess.run([sys.executable, str(script), str(self.folder), "-o", str(self.folder / "figures")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in ("axes", "pareto", "tornado"):
            self.assertTrue((self.folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG"))


if __name__ == "__main__":
    unittest.main()
