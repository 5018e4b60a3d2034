// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <gtest/gtest.h>

namespace podsim::base {
namespace {

using Severity = Diagnostic::Severity;

TEST(Diagnostic, LooksLikeACompilers) {
  Diagnostic diagnostic{Severity::error,
                        "'ici.link_rat' is not a key of tpu-v3",
                        {"machine.toml", 3, 1, 8, "link_rat = \"164 GB/s\""},
                        "did you mean 'link_rate'?"};
  EXPECT_EQ(format(diagnostic),
            "machine.toml:3:1: error: 'ici.link_rat' is not a key of tpu-v3\n"
            "  3 | link_rat = \"164 GB/s\"\n"
            "    | ^~~~~~~~ did you mean 'link_rate'?\n");
}

TEST(Diagnostic, OfAnArgumentHasNoLineNumber) {
  Diagnostic diagnostic{Severity::warning, "odd", {"--set", 0, 3, 2, "a.bc=1"}, ""};
  EXPECT_EQ(format(diagnostic),
            "--set: warning: odd\n"
            "   | a.bc=1\n"
            "   |   ^~\n");
}

TEST(Diagnostic, WithoutALocationShowsItsHintBelow) {
  EXPECT_EQ(format({Severity::error, "unknown workload 'resnet5'", {}, "did you mean 'resnet50'?"}),
            "error: unknown workload 'resnet5'\n"
            "  did you mean 'resnet50'?\n");
  EXPECT_EQ(format({Severity::note, "seen", {"a.csv", 4, 0, 1, ""}, ""}), "a.csv:4: note: seen\n");
}

TEST(Diagnostic, KeepsItsCaretUnderTabsAndWideCharacters) {
  Diagnostic diagnostic{Severity::error, "m", {"f", 12, 4, 1, "\t\u00b5 x"}, ""};
  EXPECT_EQ(format(diagnostic), "f:12:4: error: m\n  12 | \t\u00b5 x\n     | \t  ^\n");
}

TEST(Diagnostic, UnderlinesNoFurtherThanTheLine) {
  Diagnostic diagnostic{Severity::error, "m", {"f", 1, 3, 100, "abcd"}, ""};
  EXPECT_EQ(format(diagnostic), "f:1:3: error: m\n  1 | abcd\n    |   ^~\n");
}

TEST(Diagnostic, PointsBehindTheEndOfALine) {
  Diagnostic diagnostic{Severity::error, "expected a value", {"f", 1, 5, 1, "a = "}, ""};
  EXPECT_EQ(format(diagnostic), "f:1:5: error: expected a value\n  1 | a = \n    |     ^\n");
}

TEST(Diagnostic, CutsLongLinesAroundTheCaret) {
  std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  std::string text = format({Severity::error, "m", {"f", 1, 501, 4, line}, ""});
  EXPECT_EQ(text,
            "f:1:501: error: m\n"
            "  1 | ..." +
                std::string(80, 'a') + "HERE" + std::string(76, 'b') +
                "...\n"
                "    |    " +
                std::string(80, ' ') + "^~~~\n");
}

TEST(Diagnostic, ColoursOnRequestOnly) {
  Diagnostic diagnostic{Severity::error, "m", {"f", 1, 1, 1, "x"}, ""};
  EXPECT_EQ(format(diagnostic, true),
            "\033[1mf:1:1: \033[0m\033[1;31merror:\033[0m m\n  1 | x\n    | \033[1;32m^\033[0m\n");
}

TEST(Diagnostic, IsLocatedByByteAndCountedInCharacters) {
  std::string text = "first\n\u00b5 second\r\nthird";
  SourceLocation location = locate("f", text, text.find("second"), 6);
  EXPECT_EQ(location.line, 2);
  EXPECT_EQ(location.column, 3);
  EXPECT_EQ(location.line_text, "\u00b5 second");
  EXPECT_EQ(locate("f", text, 0).line, 1);
  EXPECT_EQ(locate("f", text, text.size()).line, 3);
  EXPECT_EQ(locate("f", text, 9999).column, 6);
}

TEST(InputError, CarriesEveryDiagnostic) {
  InputError error(std::vector<Diagnostic>{{Severity::error, "one", {}, ""}, {Severity::error, "two", {}, ""}});
  EXPECT_EQ(error.diagnostics().size(), 2U);
  EXPECT_STREQ(error.what(), "error: one\nerror: two");
}

TEST(DidYouMean, FindsTypingErrorsOnly) {
  std::vector<std::string> keys = {"link_rate", "hop_latency", "clock"};
  EXPECT_EQ(did_you_mean("link_rat", keys), "did you mean 'link_rate'?");
  EXPECT_EQ(closest("LINK_RATE", keys), "link_rate");
  EXPECT_EQ(closest("colck", keys), "clock");
  EXPECT_EQ(closest("lcock", keys), "clock");
  EXPECT_EQ(closest("bandwidth", keys), "");
  EXPECT_EQ(closest("", keys), "");
  EXPECT_EQ(did_you_mean("x", keys), "");
}

}  // namespace
}  // namespace podsim::base
