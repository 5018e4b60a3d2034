# SPDX-License-Identifier: Apache-2.0
"""Pages of studies agree with their data, and the data with the current model."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib  # Python 3.11
except ImportError:
    tomllib = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ROOT / "docs" / "studies"
PROGRAM = os.environ.get("PODSIM", str(ROOT / "podsim"))
sys.path.insert(0, str(STUDIES))

import pages  # noqa: E402

NAMES = sorted(file.stem for file in STUDIES.glob("*.md") if file.stem != "README")

# The number of points of a page that are simulated again: claims are checked as long as they need no more points.
# Studies with slow points are left out, and pages of many studies have fewer points of each.
FRESH_POINTS = 6
FRESH_POINTS_OF_MANY = 2
SLOW = {"scaling", "slice_shape_steps", "torus_steps"}


def read_page(name):
    return pages.Page(name, (STUDIES / f"{name}.md").read_text(encoding="utf-8"))


def read_data(page):
    return {study: pages.Data.read(STUDIES / "data" / f"{study}.csv") for study in page.studies}


def toml_value(text):
    """A value of the data as a study file has it."""
    if re.fullmatch(r"-?\d+(\.\d+)?|\[.*\]|true|false", text):
        return text
    return '"' + text + '"'


def study_of(study, rows):
    """The text of a study of the given rows of another study's data alone."""
    text = (ROOT / "studies" / "shipped" / f"{study}.toml").read_text(encoding="utf-8")
    parsed = tomllib.loads(text)
    head = text[: re.search(r"^\[", text, re.MULTILINE).start()].replace("constraints", "# constraints")
    axes = [key for table in (parsed.get("axes", {}), *parsed.get("zip", [])) for key in table]
    lines = [head, 'mode = "list"\n']
    for table in ("base", "derived", "metric_derived"):
        if table in parsed:
            lines.append(f"[{table}]\n")
            for key, value in parsed[table].items():
                if key not in axes:
                    written = str(value).lower() if isinstance(value, bool) else value
                    lines.append(f'"{key}" = ' + (f'"{value}"\n' if isinstance(value, str) else f"{written}\n"))
    for row in rows:
        lines.append("[[point]]\n" + "".join(f'"{axis}" = {toml_value(row[axis])}\n' for axis in axes))
    return "".join(lines), axes


def simulate(study, rows, folder):
    """The rows with the metrics that the program gives now."""
    import importlib.machinery
    import importlib.util

    loader = importlib.machinery.SourceFileLoader("regenerate", str(STUDIES / "regenerate"))
    regenerate = importlib.util.module_from_spec(importlib.util.spec_from_loader("regenerate", loader))
    loader.exec_module(regenerate)
    text, axes = study_of(study, rows)
    file = pathlib.Path(folder) / f"{study}.toml"
    file.write_text(text, encoding="utf-8")
    subprocess.run([PROGRAM, "sweep", file, "-o", file.with_suffix("")], check=True, stdout=subprocess.DEVNULL)
    names, found = regenerate.rows_of(file.with_suffix("") / f"{study}.sqlite")
    return [dict(zip(names, values)) for values in found], axes


def claims_of_few_rows(page, study, data, most):
    """Claims of a page on a study, those of the fewest rows first, until they rest on more than `most` together."""
    chosen, rows = [], set()
    claims = [(claim.rows(data), claim) for claim in page.claims if claim.study == study]
    for asked, claim in sorted(claims, key=lambda pair: len(pair[0])):
        if len(rows | asked) <= most:
            rows |= asked
            chosen.append(claim)
    return chosen, sorted(rows)


class Expressions(unittest.TestCase):
    DATA = pages.Data([
        {"net": "a", "size": "1", "time_s": "0.5"},
        {"net": "a", "size": "2", "time_s": "0.25"},
        {"net": "b", "size": "1", "time_s": "1.5"},
        {"net": "b", "size": "2", "time_s": "1"},
    ])

    def test_a_selection_of_one_point_is_a_number_and_of_several_a_list(self):
        self.assertEqual(pages.evaluate("1e3 * time_s{net=a; size=2}", self.DATA), 250)
        self.assertEqual(pages.evaluate("max(time_s[net=a|b; size=1]) / min(time_s[net=a])", self.DATA), 6)
        self.assertEqual(pages.evaluate("time_s{size=1}", self.DATA, {"net": ["b"]}), 1.5)
        self.assertEqual(pages.evaluate("len(time_s[net=*])", self.DATA, {"net": ["b"]}), 4)
        self.assertIs(pages.evaluate("all(a < abs(b) for a, b in zip(time_s[net=a], time_s[net=b]))", self.DATA), True)

    def test_what_the_data_do_not_have_is_an_error(self):
        for wrong in ("time_s{net=a}", "time_s{net=c; size=1}", "time_s[net=c]", "speed{net=a; size=1}",
                      "time_s{colour=red}", "net{size=1; net=a}", "__import__('os')"):
            with self.assertRaises(pages.PageError, msg=wrong):
                pages.evaluate(wrong, self.DATA)


class Claims(unittest.TestCase):
    DATA = {"study": Expressions.DATA}

    def problems(self, text):
        return pages.Page("study", text).problems(self.DATA)

    def test_a_number_is_the_datas_rounded_to_the_digits_that_are_printed(self):
        self.assertEqual(self.problems("takes 0.3 s<!-- = time_s{net=a; size=2} -->"), [])  # 0.25: either way
        self.assertEqual(self.problems("takes 0.25 s<!-- = time_s{net=a; size=2} -->"), [])
        self.assertEqual(len(self.problems("takes 0.26 s<!-- = time_s{net=a; size=2} -->")), 1)
        self.assertEqual(self.problems("16x16 takes **-1** s<!-- = -time_s{net=b; size=2} -->"), [])

    def test_a_sentence_holds_or_does_not(self):
        self.assertEqual(self.problems("more<!-- holds time_s{net=b; size=1} > time_s{net=b; size=2} -->"), [])
        self.assertEqual(len(self.problems("less<!-- holds time_s{net=b; size=1} < time_s{net=b; size=2} -->")), 1)

    def test_defaults_last_until_the_next_and_data_until_the_next_study(self):
        text = "<!-- where net=a -->1<!-- = 2 * time_s{size=1} --> <!-- where net=b -->3<!-- = 2 * time_s{size=1} -->"
        self.assertEqual(self.problems(text), [])
        page = pages.Page("study", text + "<!-- study other --> 7<!-- = time_s{} -->")
        self.assertEqual(page.studies, ["study", "other"])
        self.assertEqual(page.problems({**self.DATA, "other": pages.Data([{"time_s": "7"}])}), [])

    def test_a_number_without_digits_before_it_is_an_error(self):
        with self.assertRaises(pages.PageError):
            pages.Page("study", "seven<!-- = time_s{net=a; size=1} -->")


class Tables(unittest.TestCase):
    def test_rows_and_columns_are_values_of_axes_in_the_order_of_the_data(self):
        page = pages.Page("study", "<!-- table\nrows: net as network\ncolumns: size\ncell: 10 * time_s | .1f\n-->\n\nend")
        self.assertEqual(page.filled(Claims.DATA).partition("-->\n")[2],
                         "| network | 1 | 2 |\n|---|---|---|\n| a | 5.0 | 2.5 |\n| b | 15.0 | 10.0 |\n\nend")

    def test_columns_may_be_expressions_of_their_own(self):
        page = pages.Page("study", "<!-- table\nwhere: size=2\nrows: net\ncolumn: ms = 1e3 * time_s | .0f\n"
                                   "column: gain = time_s{size=1} / time_s{net=a} | .2f\n-->\n")
        with self.assertRaises(pages.PageError):  # size=1 of two networks
            page.filled(Claims.DATA)
        page = pages.Page("study", "<!-- table\nwhere: size=2\nrows: net\ncolumn: ms = 1e3 * time_s | .0f\n"
                                   "column: of b = time_s / time_s{net=b} | .2f\n-->\n")
        self.assertEqual(page.filled(Claims.DATA).partition("-->\n")[2],
                         "| net | ms | of b |\n|---|---|---|\n| a | 250 | 0.25 |\n| b | 1000 | 1.00 |\n")

    def test_lines_may_be_sorted_by_an_expression(self):
        page = pages.Page("study", "<!-- table\nwhere: net=a\nrows: size\nsort: time_s\ncolumn: s = time_s | .2f\n-->\n")
        self.assertEqual(page.filled(Claims.DATA).partition("-->\n")[2], "| size | s |\n|---|---|\n| 2 | 0.25 |\n| 1 | 0.50 |\n")

    def test_a_dot_selects_the_value_of_the_line(self):
        page = pages.Page("study", "<!-- table\nwhere: size=2\nrows: net\ncolumn: gain = time_s{size=1; net=.} / time_s | .1f\n"
                                   "-->\n")
        self.assertEqual(page.filled(Claims.DATA).partition("-->\n")[2], "| net | gain |\n|---|---|\n| a | 2.0 |\n| b | 1.5 |\n")

    def test_a_table_of_other_numbers_is_a_problem_until_it_is_filled_in(self):
        page = pages.Page("study", "<!-- table\nrows: net, size\ncolumn: s = time_s | .1f\n-->\n| old |\n\nend\n")
        self.assertEqual(len(page.problems(Claims.DATA)), 1)
        self.assertEqual(pages.Page("study", page.filled(Claims.DATA)).problems(Claims.DATA), [])


class Shipped(unittest.TestCase):
    def test_every_page_says_what_its_data_say(self):
        for name in NAMES:
            with self.subTest(name):
                page = read_page(name)
                self.assertEqual(page.problems(read_data(page)), [])
                self.assertGreater(len(page.claims), 4)

    def test_every_page_has_its_charts_and_is_in_the_list(self):
        index = (STUDIES / "README.md").read_text(encoding="utf-8")
        for name in NAMES:
            with self.subTest(name):
                page = read_page(name)
                self.assertIn(f"({name}.md)", index)
                self.assertTrue(page.charts)
                for _, chart, _ in page.charts:
                    self.assertTrue((STUDIES / "charts" / chart).read_text(encoding="utf-8").startswith("<svg"))
                    self.assertIn(f"(charts/{chart})", page.text)
                for study in page.studies:
                    self.assertIn(f"podsim sweep {study}", page.text)

    def test_every_study_that_the_program_carries_has_a_page(self):
        shown = {study for name in NAMES for study in read_page(name).studies}
        self.assertEqual(shown, {file.stem for file in (ROOT / "studies" / "shipped").glob("*.toml")})

    @unittest.skipIf(tomllib is None, "reading a study takes Python 3.11")
    def test_the_model_still_gives_what_pages_say(self):
        for name in NAMES:
            page = read_page(name)
            most = FRESH_POINTS if len(page.studies) < 3 else FRESH_POINTS_OF_MANY
            for study, data in read_data(page).items():
                if study in SLOW:
                    continue
                with self.subTest(study), tempfile.TemporaryDirectory() as folder:
                    chosen, rows = claims_of_few_rows(page, study, data, most)
                    self.assertTrue(chosen)
                    fresh, axes = simulate(study, [data.rows[row] for row in rows], folder)
                    self.assertEqual(len(fresh), len(rows))
                    for row, now in zip(rows, fresh):
                        self.assertEqual([now[axis] for axis in axes], [data.rows[row][axis] for axis in axes])
                        data.rows[row] = {**data.rows[row], **now}  # the front is that of all rows
                    self.assertEqual([problem for claim in chosen if (problem := claim.problem(data))], [])


if __name__ == "__main__":
    unittest.main()
