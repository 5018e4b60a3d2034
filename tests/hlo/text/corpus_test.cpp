// SPDX-License-Identifier: Apache-2.0
// Modules that other compilers printed, if the corpus is present.
#include <gtest/gtest.h>

#include <string>

#include "hlo/text/printer.h"
#include "hlo/text/reader.h"
#include "tests/hlo/text/corpus.h"

namespace podsim::hlo::text {
namespace {

TEST(HloCorpus, CompleteModulesHaveNoErrorAndPrintingThemIsAFixedPoint) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    const ReadResult result = read(file.filename().string(), text_of(file));
    ASSERT_TRUE(result.ok()) << base::format(result.diagnostics.front());
    const std::string printed = print(result.modules);
    const ReadResult again = read("printed", printed);
    ASSERT_TRUE(again.ok()) << file << base::format(again.diagnostics.front());
    ASSERT_EQ(again.modules.size(), result.modules.size()) << file;
    ASSERT_TRUE(print(again.modules) == printed) << file;
    for (std::size_t i = 0; i < result.modules.size(); ++i) {
      ASSERT_EQ(again.modules[i].instructions.size(), result.modules[i].instructions.size()) << file;
      ASSERT_EQ(again.modules[i].attribute_list.size(), result.modules[i].attribute_list.size()) << file;
      ASSERT_EQ(again.modules[i].called_list.size(), result.modules[i].called_list.size()) << file;
    }
  }
}

TEST(HloCorpus, TruncatedModulesHaveOneErrorBehindTheirLastCharacter) {
  const auto files = corpus(true);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    const std::string text = text_of(file);
    const ReadResult result = read(file.filename().string(), text);
    ASSERT_EQ(result.diagnostics.size(), 1U) << file;
    const std::size_t last = text.find_last_not_of(" \n\r\t");
    const base::SourceLocation end = base::locate("", text, last + 1);
    EXPECT_EQ(result.diagnostics[0].location.line, end.line) << file;
    EXPECT_EQ(result.diagnostics[0].location.column, end.column) << file;
  }
}

TEST(HloCorpus, AModuleCutAnywhereIsReportedWhereItIsCut) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    const std::string whole = text_of(file);
    if (file.parent_path().filename() != "xla_benchmarks" || whole.size() > 40'000) continue;
    // After the first line and before the last computation is closed.
    const std::size_t brace = whole.find_last_of('}');
    for (std::size_t cut = whole.find('\n') + 1; cut < brace; cut += 1 + whole.size() / 50) {
      const std::string text = whole.substr(0, cut);
      const bool between_computations = text.find_last_not_of(" \n") == text.rfind("\n}") + 1;
      if (between_computations) continue;  // without its end this is a module, too
      const ReadResult result = read("cut", text);
      ASSERT_FALSE(result.ok()) << file << " at " << cut;
      const base::SourceLocation end = base::locate("", text, text.find_last_not_of(" \n\r\t") + 1);
      const base::SourceLocation& found = result.diagnostics.back().location;
      EXPECT_EQ(found.line, end.line) << file << " at " << cut << "\n" << base::format(result.diagnostics.back());
    }
  }
}

}  // namespace
}  // namespace podsim::hlo::text
