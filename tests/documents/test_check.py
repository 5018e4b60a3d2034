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
    TABLE = ("| what | silicon | podsim | error | command |\n|---|---|---|---|---|\n"
             "| step | 131.1 ms | 119.0 ms | -9.2 % | `119.003 ms` |\n"
             "| ops | | bias +0.9 % | 4.5 % | `-e 'bias +0.9 %\\nerror 4.5 %\\nof matmuls 4.6 %, +0.8 %'` |\n"
             "| FLOPs | 2.985e12 | 3.054e12 | +2.3 % | `3054000000000` |\n")

    def test_a_figure_is_rounded_from_a_printed_one_of_its_unit(self):
        self.assertTrue(self.check(self.ROW), self.said)
        self.assertIn("2 figures", self.said)
        for wrong in ("11.98 ms", "12.99 ms", "11.99 us", "11.987 s"):
            self.assertFalse(self.check(self.ROW.replace("11.99 ms", wrong)), wrong)
            self.assertIn("document.md:1: ", self.said)
        self.assertEqual(self.updated(self.ROW.replace("11.99", "11.83")), self.ROW)
        self.assertFalse(self.check(self.ROW.replace("11.99", "3.99"), "--update"))  # nothing like it was printed

    def test_units_of_one_dimension_agree_and_json_has_si_units(self):
        agree = lambda text, printed: all(figures.agrees(figure, printed) for figure in figures.figures_in(text, True))
        self.assertTrue(agree("843 us", "time 0.84336 ms"))
        self.assertFalse(agree("844 us", "time 0.84336 ms"))
        printed = '{"mxu": 0.4101, "parts": [{"time_s": 0.119003, "bytes": 1536}]}'
        self.assertTrue(agree("41.0 %, 119.0 ms, 1.5 KiB", printed))
        self.assertFalse(agree("41.1 %", '{"mxu": 0.4101}'))

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
        self.assertIn("1 commands, 0 shown texts, 0 figures; 2 not run", self.said)
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
