# SPDX-License-Identifier: Apache-2.0
"""The checker of documents finds what differs, and refuses what it does not understand."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import document  # noqa: E402
import figures  # noqa: E402
import places  # noqa: E402
import plant  # noqa: E402
import shown_text  # noqa: E402

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def other_digits(text):
    """The text with one digit changed, for every digit of it."""
    return [text[:i] + str((int(c) + 1) % 10) + text[i + 1:] for i, c in enumerate(text) if c in "0123456789"]


class Checked(unittest.TestCase):
    """Documents whose program is echo: `podsim WORDS` prints WORDS."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "document.md"
        self.environment = {key: value for key, value in os.environ.items() if key != "CI"}
        self.environment.update(PODSIM="/bin/echo", PODSIM_SHARED=str(pathlib.Path(self.folder.name) / "shared"))

    def check(self, text, *flags, **environment):
        self.file.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, HERE / "check", *flags, self.file], text=True, capture_output=True,
                              env={**self.environment, **environment}, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.said = done.stdout
        return done.returncode == 0

    def updated(self, text):
        self.assertTrue(self.check(text, "--update"), self.said)
        return self.file.read_text(encoding="utf-8")


class ShownText(Checked):
    TEXT = "```\n$ ./podsim 'step time  119.003 ms'\nstep time  119.003 ms\n```\n"

    def test_one_other_digit_fails_and_is_rewritten(self):
        self.assertTrue(self.check(self.TEXT), self.said)
        command, _, shown = self.TEXT.rpartition("step time")
        for wrong in other_digits(shown):
            self.assertFalse(self.check(command + "step time" + wrong))
            self.assertIn("document.md:3: ", self.said)
        self.assertEqual(self.updated(command + "step time" + wrong), self.TEXT)

    def test_one_other_digit_in_any_text_of_the_documents_fails(self):
        tried = 0
        for file in DOCUMENTS:
            text = file.read_text(encoding="utf-8")
            lines = text.split("\n")
            for step in document.parse(text):
                if not isinstance(step, document.Command) or step.shown is None:
                    continue
                shown = lines[step.shown.begin:step.shown.end]
                printed = [line.replace("...", "left out") for line in shown]
                self.assertTrue(shown_text.agrees(shown, printed))
                for i, line in enumerate(shown):
                    if shown_text.OF_THE_HOST.search(line):
                        continue
                    for wrong in other_digits(line):
                        changed = shown[:i] + [wrong] + shown[i + 1:]
                        self.assertFalse(shown_text.agrees(changed, printed), f"{file}: {wrong}")
                        tried += 1
        self.assertGreater(tried, 1000)

    def test_dots_stand_for_lines_and_for_words(self):
        printed = ["first 1", "second 2", "third 3", "fourth 4"]
        for shown in (["..."], ["...", "fourth 4"], ["first 1", "...", "fourth 4"],
                      ["first ...", "...", "third 3", "..."]):
            self.assertTrue(shown_text.agrees(shown, printed), shown)
        for shown in (["first 1"], ["...", "third 3"], ["first 1", "...", "second 3", "..."], ["second ...", "..."],
                      ["...", "third 3", "...", "second 2", "..."], ["first 1", "...", "first 1", "..."]):
            self.assertFalse(shown_text.agrees(shown, printed), shown)

    def test_an_excerpt_is_rewritten_where_it_is(self):
        printed = ["time 5 ms", "a x  1.50 ms", "b y  2.50 ms", "host: 9"]
        for shown, today in (("b y   2.25 ms", "b y  2.50 ms"), ("b ... 2.25 ms", "b ... 2.50 ms")):
            self.assertEqual(shown_text.rewritten(["...", shown, "..."], printed), ["...", today, "..."])
        self.assertIsNone(shown_text.rewritten(["...", "nothing of the kind", "..."], printed))

    def test_times_of_the_host_may_be_any(self):
        text = "```\n$ podsim '0.31 s on this host, 1 op'\n0.10 s on this host, 1 op\n```\n"
        self.assertTrue(self.check(text), self.said)
        self.assertFalse(self.check(text.replace("0.10 s on this host, 1 op", "0.10 s on this host, an op")))
        self.assertEqual(self.updated(text), text)


class Figures(Checked):
    ROW = "| 4 | 11.99 ms | 0.8 % | 5<!-- figures of: podsim 11.9867 ms, 0.76 % --> |\n"
    LINES = "podsim -e 'step time 12 ms\\ncompute 11 ms, 92 %\\nwaits 1 ms, 8 %'"
    TABLE = ("| what | silicon | podsim | error | command |\n|---|---|---|---|---|\n"
             "| step | 131.1 ms | 119.0 ms | -9.2 % | `119.003 ms` |\n"
             "| ops | | bias +0.9 % | 4.5 % | `-e 'bias +0.9 %\\nerror 4.5 %\\nof matmuls 4.6 %, +0.8 %'`"
             "<!-- line: bias; error --> |\n"
             "| FLOPs | 2.985e12 | 3.054e12 | +2.3 % | `3054000000000` |\n")

    def test_a_figure_is_rounded_from_a_printed_one_of_its_unit(self):
        self.assertTrue(self.check(self.ROW), self.said)
        self.assertIn("2 figures", self.said)
        for wrong in ("11.98 ms", "12.99 ms", "11.99 us", "11.987 s"):
            self.assertFalse(self.check(self.ROW.replace("11.99 ms", wrong)), wrong)
            self.assertIn("document.md:1: ", self.said)
        self.assertEqual(self.updated(self.ROW.replace("11.99", "11.83")), self.ROW)

    def test_a_figure_stands_for_one_line(self):
        mark = f"<!-- figures of: {self.LINES} @ "
        self.assertTrue(self.check(f"It takes 12 ms{mark}step time -->, 11 ms of it{mark}compute --> in products.\n"),
                        self.said)
        self.assertTrue(self.check(f"It waits for 1 ms, 8 %{mark}waits -->, it computes for 92 %{mark}compute -->.\n"))
        self.assertTrue(self.check(f"12 ms, of which 11 ms and 1 ms{mark}step time; compute; waits --> are known.\n"))
        # Numbers of other lines are not these, however often they are printed.
        self.assertFalse(self.check(f"It takes 11 ms{mark}step time -->.\n"))
        self.assertFalse(self.check(f"12 ms, of which 1 ms and 11 ms{mark}step time; compute; waits --> are known.\n"))
        self.assertFalse(self.check(f"8 % and 8 %{mark}waits -->.\n"))  # the line has it once
        self.assertEqual(self.updated(f"It takes 11 ms{mark}step time -->.\n"), f"It takes 12 ms{mark}step time -->.\n")

    def test_it_is_clear_which_line(self):
        for selectors, said in (("", "which of 3 lines"), (" @ nothing", "no line has"), (" @ ms", "3 lines have"),
                                (" @ ms#4", "3 lines have"), (" @ step time; compute", "1 figures and 2 places")):
            self.assertFalse(self.check(f"It takes 12 ms<!-- figures of: {self.LINES}{selectors} -->.\n"), selectors)
            self.assertIn(said, self.said)
        self.assertTrue(self.check(f"It takes 12 ms<!-- figures of: {self.LINES} @ ms#1 -->.\n"), self.said)
        self.assertTrue(self.check(f"12 ms, 11 ms, 1 ms<!-- figures of: {self.LINES} -->.\n"), self.said)
        self.assertFalse(self.check(f"12 ms, 1 ms, 11 ms<!-- figures of: {self.LINES} -->.\n"))

    def test_every_figure_has_a_source(self):
        for text in ("It takes 12 ms.\n", "a\n\n- a list with 5 %\n", "| a | 3 GB |\n",
                     "<!-- cited: a paper -->\nOne paragraph of 1 ms.\n\nAnother of 2 ms.\n",
                     "It takes 1 ms<!-- cited: a paper --> and 2 ms.\n"):
            self.assertFalse(self.check(text), text)
            self.assertIn("nothing says where", self.said)
        for text in ("`12 ms` of code, 12 things\n", "It takes 12 ms<!-- cited: a paper -->.\n",
                     "<!-- not checked: takes a day -->\nIt takes 1 ms\nor 2 ms.\n",
                     "<!-- cited, all: a paper -->\n\nIt takes 12 ms.\n\n| a | 3 GB |\n"):
            self.assertTrue(self.check(text), self.said)
        self.assertTrue(self.check("<!-- not checked: takes a day -->\nIt takes 1 ms\nor 2 ms.\n"))
        self.assertIn("2 figures that are not checked", self.said)

    def test_units_of_one_dimension_agree_and_json_has_si_units(self):
        def agree(text, printed, selectors=()):
            found = figures.figures_in(text, True)
            return not places.wrong_figures(found, places.places(printed, selectors, len(found)))

        self.assertTrue(agree("843 us", "time 0.84336 ms"))
        self.assertFalse(agree("844 us", "time 0.84336 ms"))
        self.assertTrue(agree("+4.5 %", "bias +4.5 %, median 4.0 %"))
        self.assertFalse(agree("+4.0 %", "bias +4.5 %, median 4.0 %"))
        self.assertTrue(agree("82.7 %, 4.7 %, +1.7 %", "fusion 82.7 % 4.7 % +1.7 %"))
        printed = '{"mxu": 0.4101, "parts": [{"time_s": 0.119003, "bytes": 1536}]}'
        paths = ["mxu", "parts.0.time_s", "parts.0.bytes"]
        self.assertTrue(agree("41.0 %, 119.0 ms, 1.5 KiB", printed, paths))
        self.assertFalse(agree("41.1 %", '{"mxu": 0.4101}', ["mxu"]))
        for wrong in ([], ["mxu.0"], ["parts"], ["parts.1.time_s"]):
            with self.assertRaises(places.Unclear):
                places.places(printed, wrong, 1)

    def test_code_has_no_figures(self):
        self.assertEqual([figure.text for figure in figures.figures_in("`latency='1 ns'` 2 ns, -0.5 %, 16 MiB", True)],
                         ["2", "-0.5", "16"])

    def test_rows_of_a_table_of_commands(self):
        self.assertTrue(self.check(self.TABLE), self.said)
        for wrong in (("119.0 ms |", "119.1 ms |"), ("-9.2", "-9.1"), ("+0.9 % |", "+0.8 % |"), ("| 4.5", "| 4.6"),
                      ("3.054e12", "3.055e12"), ("+2.3", "-2.3")):
            self.assertFalse(self.check(self.TABLE.replace(*wrong)), wrong)
        stale = self.TABLE.replace("119.0 ms |", "118.0 ms |").replace("-9.2", "-10.0")
        self.assertEqual(self.updated(stale), self.TABLE)
        self.assertFalse(self.check(self.TABLE.replace("`119.003 ms`", "somehow")))
        self.assertFalse(self.check(self.TABLE.replace("<!-- line: bias; error -->", "")))


class Planted(Checked):
    """False figures are planted and found."""

    TEXT = ("<!-- output of: podsim -e 'a 1.5 ms\\nb 25 %' -->\n```\na 1.5 ms\nb 25 %\n```\n\n" + Figures.ROW +
            "\n" + Figures.TABLE + f"\nIt takes 12 ms<!-- figures of: {Figures.LINES} @ step time -->.\n")

    def test_of_every_kind_all_are_found(self):
        self.assertTrue(self.check(self.TEXT, "--plant", "100"), self.said)
        # Two shown lines, 2 figures of a row, 4 of the column podsim and of an error that is printed, 2 errors, one in
        # prose, and a sentence with a figure of no command.
        self.assertIn("12 false figures planted", self.said)
        kinds = {kind for kind, _, _ in plant.faults(self.TEXT.split("\n"), document.parse(self.TEXT))}
        self.assertEqual(kinds, {"shown text", "row of figures", "row of a table of commands", "error of a row",
                                 "prose"})

    def test_a_sample_has_one_of_each_kind(self):
        every = list(plant.faults(self.TEXT.split("\n"), document.parse(self.TEXT)))
        self.assertEqual(len({kind for kind, _, _ in plant.chosen(every, 5)}), 5)

    def test_one_that_is_not_found_fails(self):
        class Blind:
            def __init__(self, steps=(), printed=()):
                self.name, self.problems, self.steps, self.printed, self.counts = "d.md", [], steps, printed, {}

            def run(self):
                pass

        steps = document.parse(self.TEXT)
        agreed = Blind(steps, {getattr(step, "command", getattr(step, "text", "")) for step in steps})
        missed = plant.missed(lambda text: Blind(), self.TEXT, agreed, 100)
        self.assertEqual(len(missed), 12)


class Commands(Checked):
    def test_a_missing_command_and_a_wrong_exit_code_fail(self):
        self.assertFalse(self.check("```\nno_such_command --help\n```\n"))
        self.assertIn("no_such_command", self.said)
        self.assertFalse(self.check("```\nfalse\n```\n"))
        self.assertTrue(self.check("<!-- exit code: 1 -->\n```\nfalse\n```\n"), self.said)
        self.assertFalse(self.check("<!-- exit code: 1 -->\n```\ntrue\n```\n"))
        self.assertFalse(self.check("```\nfalse | cat\n```\n"))

    def test_commands_share_a_folder_with_the_files_that_are_shown(self):
        self.assertTrue(self.check("<!-- file: a.toml -->\n```toml\nkey = 1\n```\n"
                                   "<!-- run:\ncp a.toml b.toml\necho 2 >> b.toml\n-->\n"
                                   "```\n$ cat b.toml\nkey = 1\n2\n```\n"
                                   "<!-- output of: wc -l < b.toml -->\n```\n2\n```\n"), self.said)

    def test_what_does_not_run_is_counted_with_its_reason(self):
        self.assertTrue(self.check("<!-- not run: takes a day -->\n```\nfalse\n```\n"
                                   "<!-- not run, gtkwave: opens a window -->\n"
                                   "```\ntrue\ngtkwave a.vcd\n```\n"), self.said)
        self.assertIn("1 commands, 0 shown texts, 0 figures, 0 figures that are not checked; 2 not run", self.said)
        self.assertIn("takes a day", self.said)
        self.assertIn("gtkwave a.vcd: opens a window", self.said)

    def test_what_is_missing_is_left_out_but_not_where_all_is_checked(self):
        for text in ("<!-- shared: a.csv = measured/a.csv -->\n\n```\ncat a.csv\n```\n",
                     "<!-- needs: no_such_program -->\n```\nno_such_program\n```\n"):
            self.assertTrue(self.check(text), self.said)
            self.assertIn("left out: ", self.said)
            self.assertFalse(self.check(text, CI="1"))
        shared = pathlib.Path(self.folder.name) / "shared" / "measured"
        shared.mkdir(parents=True)
        (shared / "a.csv").write_text("5\n", encoding="utf-8")
        self.assertTrue(self.check("<!-- shared: a.csv = measured/a.csv -->\n\n```\n$ cat a.csv\n5\n```\n"), self.said)
        self.assertIn("1 commands", self.said)


class Conventions(Checked):
    def test_what_is_not_understood_fails_with_its_line(self):
        for wrong, line in (("text\n<!-- no run: a picture -->\n```\na\n```\n", 2), ("<!-- a comment -->\n", 1),
                            ("<!-- not run: -->\n```\na\n```\n", 1), ("<!-- exit code: 1 -->\n\ntext\n", 1),
                            ("a\n\n```toml\na = 1\n```\n", 3), ("```ruby\na\n```\n", 1), ("```\ntrue\n", 1),
                            ("<!-- not run, gtkwave: a window -->\n```\ntrue\n```\n", 2), ("<!-- run: true\n", 1),
                            ("5 ms<!-- figures: true -->\n", 1), ("<!-- exit code: one -->\n```\ntrue\n```\n", 2),
                            ("```\noutput\n$ true\n```\n", 2), ("<!-- shared: a.csv -->\n", 1)):
            self.assertFalse(self.check(wrong), wrong)
            self.assertIn(f"document.md:{line}: ", self.said, wrong)

    def test_only_checked_documents_show_what_a_command_prints(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], text=True, capture_output=True, check=False)
        if listed.returncode != 0:
            self.skipTest("this is not a git checkout")
        for name in listed.stdout.split():
            if ROOT / name not in DOCUMENTS:
                self.assertNotIn("\n$ ", (ROOT / name).read_text(encoding="utf-8"), name)


if __name__ == "__main__":
    unittest.main()
