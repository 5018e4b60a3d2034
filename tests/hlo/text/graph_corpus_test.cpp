// SPDX-License-Identifier: Apache-2.0
// Graphs of modules that other compilers printed, if the corpus is present.
#include <gtest/gtest.h>

#include <chrono>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"
#include "tests/hlo/text/corpus.h"

namespace podsim::hlo::text {
namespace {

/// Compares shardings, and participants of collectives, of every instruction whose attributes are printed.
void expect_same_devices(const hlo::Module& left, const hlo::Module& right) {
  ASSERT_EQ(left.replicas, right.replicas);
  ASSERT_EQ(left.partitions, right.partitions);
  ASSERT_EQ(left.computations.size(), right.computations.size());
  for (std::size_t c = 0; c < left.computations.size(); ++c) {
    const auto& instructions = left.computations[c].instructions;
    ASSERT_EQ(instructions.size(), right.computations[c].instructions.size());
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const hlo::Instruction& other = right.computations[c].instructions[i];
      if (instructions[i].phase == hlo::AsyncPhase::done) continue;
      ASSERT_TRUE(!hlo::is_collective(other.opcode) || instructions[i].participants == other.participants)
          << other.name;
      ASSERT_EQ(instructions[i].sharding == nullptr, other.sharding == nullptr) << other.name;
      if (!other.sharding) continue;
      ASSERT_EQ(*instructions[i].sharding, *other.sharding) << other.name;
    }
  }
}

TEST(HloCorpus, EveryCompleteModuleBecomesAGraphThatPrintsAsTheSameGraph) {
  const auto files = corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  for (const std::filesystem::path& file : files) {
    for (const Module& module : read(file.filename().string(), text_of(file)).modules) {
      const hlo::Module graph = graph::to_graph(module);
      const std::string printed = hlo::to_string(graph);
      const ReadResult again = read("printed", printed);
      ASSERT_TRUE(again.ok()) << file << base::format(again.diagnostics.front());
      const hlo::Module graph_again = graph::to_graph(again.modules[0]);
      ASSERT_TRUE(hlo::to_string(graph_again) == printed) << file;
      ASSERT_NO_FATAL_FAILURE(expect_same_devices(graph, graph_again)) << file;
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
      const auto errors = check_shapes(module, graph::to_graph(module));
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
    for (const Module& module : result.modules) graph::to_graph(module);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << file;
  }
}

}  // namespace
}  // namespace podsim::hlo::text
