// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::validation::measured::published {
namespace {

std::vector<PublishedMemory> memory_rows(const std::string& text) {
  return published_memory("memory.csv", "model,tokens_of_a_sequence,peak_gb_per_device,note\n" + text + "\n");
}

std::string words_of(const PublishedMemory& row) { return fmt::format("{}", fmt::join(row.command, " ")); }

constexpr const char* arena =
    "Long-range-arena Transformer (6 layers; d 512; ff 2048; 8 heads; batch 32 over 16 chips),1024,0.85,training";

TEST(PublishedMemory, AFigureInPartsIsTheirSumAndThatOfEightCoresAnEighth) {
  const std::vector<PublishedMemory> rows =
      memory_rows("A,1,0.85,\nB,1,11.5 slots + 3.25 activations,in bf16\nC,1,59.5 slots + 50.5 rest in all 8 cores,");
  EXPECT_DOUBLE_EQ(rows[0].figure, 0.85);
  EXPECT_EQ(rows[0].contains, "");
  EXPECT_DOUBLE_EQ(rows[1].figure, 14.75);
  EXPECT_EQ(rows[1].contains, "slots, activations; in bf16");
  EXPECT_DOUBLE_EQ(rows[2].figure, 13.75);
  EXPECT_EQ(rows[2].contains, "slots, rest in all 8 cores");
}

TEST(PublishedMemory, ARowWithoutSizesHasThoseOfTheRowBeforeOfItsModel) {
  const std::vector<PublishedMemory> rows =
      memory_rows(std::string(arena) + "\nLong-range-arena Transformer,3072,5.51,\nLong-range-arena Linformer,3072,1,");
  EXPECT_EQ(rows[0].model, rows[1].model);
  EXPECT_EQ(rows[0].sizes, rows[1].sizes);
  EXPECT_EQ(words_of(rows[1]),
            "run transformer --slice 1x1 --batch-per-core 2 --set model.layers=6 --set model.d_model=512 --set "
            "model.d_ff=2048 --set model.heads=8 --set model.d_head=64 --set model.vocabulary=256 --set "
            "model.sequence=3072 --set model.activation_type=f32 --set model.dropout=0.1");
  EXPECT_EQ(rows[2].reason, "no workload of this network");
}

TEST(PublishedMemory, WhatHasNoWorkloadOrNoSizeSaysSo) {
  const std::vector<PublishedMemory> rows = memory_rows(
      "GPipe Pipeline-8 L=103,1024,59.5,\nGPipe Naive-1 (d 2048; ff 8192; batch 32 x 1024),1024,14.85,\n"
      "GPipe Naive-1 L=3 (ff 8192),1024,14.85,\nLong-range-arena Transformer,1024,0.85,");
  const std::vector<std::string> reasons = {"pipelines of Transformers are no workload", "the row states no layers",
                                            "the row states no batch or no width",
                                            "the row states no batch that its chips can share, no width or no heads"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].reason, reasons[i]);
    EXPECT_TRUE(rows[i].command.empty());
  }
}

TEST(PublishedMemory, ABadFigureIsPointedAt) {
  for (const char* bad : {"much", "1 + much", "-1", "0"}) {
    try {
      memory_rows(fmt::format("A,1,{},", bad));
      FAIL() << bad;
    } catch (const base::InputError& error) {
      EXPECT_NE(error.diagnostics().front().message.find(bad), std::string::npos);
    }
  }
}

TEST(PublishedMemory, TheErrorIsThatOfBothGigabytes) {
  SimulatedMemory row{.published = memory_rows("A,1,2,")[0], .heap = base::Bytes(std::int64_t(3) << 30)};
  const std::string text = memories_text({.file = "memory.csv", .rows = {row}});
  EXPECT_NE(text.find("+61.1 %"), std::string::npos) << "3 x 1.073741824 / 2\n" << text;
  EXPECT_NE(text.find("+50.0 %"), std::string::npos) << text;
  row.heap.reset();
  row.problem = "out of memory";
  EXPECT_NE(memories_text({.file = "memory.csv", .rows = {row}}).find("A is not simulated: "), std::string::npos);
}

}  // namespace
}  // namespace podsim::validation::measured::published
