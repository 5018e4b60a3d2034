// SPDX-License-Identifier: Apache-2.0
// Graphs of modules that others' compilers printed, where they are at hand.
#include <gtest/gtest.h>

#include <chrono>

#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"
#include "sw/hlo/to_graph.h"
#include "tests/sw/hlo/corpus.h"

namespace podsim::sw::hlo {
namespace {

TEST(HloCorpus, EveryCompleteModuleBecomesAGraphThatPrintsAsTheSameGraph) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    for (const Module& module : read(file.filename().string(), text_of(file)).modules) {
      const std::string printed = to_string(to_graph(module));
      const ReadResult again = read("printed", printed);
      ASSERT_TRUE(again.ok()) << file << base::format(again.diagnostics.front());
      ASSERT_TRUE(to_string(to_graph(again.modules[0])) == printed) << file;
    }
  }
}

TEST(HloCorpus, ShapesOfTheBenchmarksFollowFromTheirOperands) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    const std::string folder = file.parent_path().filename().string();
    if (folder != "xla_benchmarks" && !folder.starts_with("tpu_")) continue;
    for (const Module& module : read(file.filename().string(), text_of(file)).modules) {
      const auto errors = check_shapes(module, to_graph(module));
      ASSERT_TRUE(errors.empty()) << base::format(errors.front());
    }
  }
}

TEST(HloCorpus, AGraphOfTensOfThousandsOfInstructionsTakesLessThanASecond) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    const ReadResult result = read(file.filename().string(), text_of(file));
    const auto begin = std::chrono::steady_clock::now();
    for (const Module& module : result.modules) to_graph(module);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << file;
  }
}

}  // namespace
}  // namespace podsim::sw::hlo
