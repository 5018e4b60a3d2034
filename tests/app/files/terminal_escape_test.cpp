// SPDX-License-Identifier: Apache-2.0
// Names from users' files are shown, and nothing in them steers a terminal, not even through a pipe.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::files {
namespace {

using Words = std::vector<std::string>;

const std::string red = "\x1b[31mred", shown = "\ufffd[31mred";

void expect_harmless(const test::Outcome& outcome, const std::string& what) {
  for (const std::string& text : {outcome.out, outcome.err}) {
    for (const char control : {'\x1b', '\x07', '\x08', '\x7f'}) {
      EXPECT_EQ(text.find(control), std::string::npos) << what << ": " << text;
    }
  }
}

class TerminalEscape : public ::testing::Test {
 protected:
  /// The name is shown where `says` is set.
  void expect_shown(const Words& words, bool says = true) const {
    const test::Outcome outcome = folder.run(words);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    expect_harmless(outcome, line);
    if (says) {
      EXPECT_NE((outcome.out + outcome.err).find(shown), std::string::npos) << line << outcome.out << outcome.err;
    }
  }

  test::Folder folder;
};

TEST_F(TerminalEscape, InNamesOfHloAreShownAndNotSent) {
  folder.write("m.hlo",
               "HloModule m\n\nENTRY %e (a: f32[8,128]) -> f32[8,128] {\n  %a = f32[8,128] parameter(0)\n"
               "  ROOT %b = f32[8,128] exponential(%a), metadata={op_name=\"layer/" +
                   red + "\"}\n}\n");
  expect_shown({"run", "m.hlo", "--slice", "1x1"});
  expect_shown({"hlo", "check", "m.hlo"}, false);
  expect_shown({"hlo", "stats", "m.hlo"}, false);
  expect_shown({"hlo", "check", red + ".hlo"});
  expect_shown({"run", red + ".hlo"});
  folder.write("bad.hlo", "HloModule m\n\nENTRY %e (a: f32[8]) -> f32[8] {\n  ROOT %a = f32[8] " + red + "(0)\n}\n");
  expect_shown({"hlo", "check", "bad.hlo"});
}

TEST_F(TerminalEscape, InKeysAndValuesOfFilesAreShownAndNotSent) {
  folder.write("machine.toml", "extends = \"tpu-v3\"\n\"" + std::string("\\u001b[31mred") + "\" = 3\n");
  expect_shown({"describe", "machine.toml"});
  folder.write("study.toml",
               "title = \"\\u001b[31mred\"\nmetrics = [\"step_time_s\"]\n[base]\nworkload = \"resnet50\"\n"
               "slice = \"1x1\"\n[axes]\nbatch_per_core = [1, \"\\u001b[31mred\"]\n");
  expect_shown({"sweep", "study.toml"});
  folder.write("rows.csv", "Category,HLO op,#Occurrences,Avg. self time (us)\n\"" + red +
                               "\",\"%c = f32[8,128]{1,0} exponential(f32[8,128]{1,0} %x)\",10,2\n");
  expect_shown({"ops", "rows.csv"});
  folder.write("k.pasm", "  " + red + " s0, 1\n");
  expect_shown({"kernel", "k.pasm"});
}

TEST_F(TerminalEscape, InArgumentsAreShownAndNotSent) {
  for (const Words& words :
       {Words{"run", red}, Words{red}, Words{"run", "resnet50", "--set", red + "=1"}, Words{"describe", red},
        Words{"kernel", red}, Words{"collective", red}, Words{"report", red}, Words{"compare", red, red},
        Words{"trace", "check", red}, Words{"sweep", red}, Words{"ops", red}, Words{"tiles", red},
        Words{"run", "resnet50", "--slice", red}, Words{"run", "resnet50", "--limit", red},
        Words{"memory", "--pattern", red}, Words{"network", "--load", red}, Words{"run", "resnet50", "--" + red}}) {
    expect_shown(words);
  }
}

/// HLO for other programs has its bytes through a pipe.
TEST_F(TerminalEscape, AreKeptInHloThatIsPrintedIntoAPipe) {
  const std::string name = "layer/" + red;
  folder.write("m.hlo",
               "HloModule m\n\nENTRY %e (a: f32[8]) -> f32[8] {\n  %a = f32[8] parameter(0)\n"
               "  ROOT %b = f32[8] exponential(%a), metadata={op_name=\"" +
                   name + "\"}\n}\n");
  const test::Outcome printed = folder.run({"hlo", "print", "m.hlo"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_NE(printed.out.find(name), std::string::npos);
}

}  // namespace
}  // namespace podsim::files
