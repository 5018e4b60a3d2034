// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/build/graph_builder.h"
#include "sw/driver/compile.h"
#include "tests/hlo/hlo_text.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

TEST(Compile, WhatIsFedOutGoesToTheHostAfterTheOpsThatMakeIt) {
  hlo::build::GraphBuilder b("test");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 256}), "x");
  const hlo::InstructionId doubled = b.add(x, x);
  b.outfeed(doubled);
  b.outfeed(b.tuple({x, doubled}));
  const Program program = driver::compile(std::move(b).build(b.negate(doubled)), sw::tpu_v3()).program;

  ASSERT_EQ(program.outfeeds.size(), 2u);
  EXPECT_EQ(program.outfeeds[0].bytes, base::Bytes(1024 * 256 * 4));
  EXPECT_EQ(program.outfeeds[0].tensors, 1);
  EXPECT_EQ(program.outfeeds[1].bytes, base::Bytes(2 * 1024 * 256 * 4));
  EXPECT_EQ(program.outfeeds[1].tensors, 2);
  const auto first = std::ranges::find(program.items, ProgramItem::Kind::outfeed, &ProgramItem::kind);
  ASSERT_NE(first, program.items.end());
  EXPECT_EQ(first->index, 0);
  EXPECT_TRUE(std::any_of(program.items.begin(), first,
                          [](const ProgramItem& item) { return item.kind == ProgramItem::Kind::op; }));
  EXPECT_EQ(std::ranges::count(program.items, ProgramItem::Kind::outfeed, &ProgramItem::kind), 2);
}

/// The bytes that the ops of a program read from HBM and write to it.
base::Bytes bytes_moved(const std::string& entry) {
  const Program program =
      driver::compile(hlo::testing::graph_of_entry(entry, hlo::testing::scalar_functions), sw::tpu_v3()).program;
  base::Bytes sum;
  for (const ProgramItem& item : program.items) {
    if (item.kind != ProgramItem::Kind::op) continue;
    for (const hw::TileRun& run : program.ops[std::size_t(item.index)].tiles.runs) {
      for (const auto* transfers : {&run.work.reads, &run.work.writes}) {
        for (const hw::TileTransfer& transfer : *transfers) sum += run.count * transfer.bytes;
      }
    }
  }
  return sum;
}

// A window of 64 x 64 x 128 words is 2 MiB; by rows of a table it would be 4096 reads.
TEST(Compile, AGatherOfOneWindowCostsADynamicSlice) {
  const std::string arguments = "x = f32[64,512,128] parameter(0)\n i = s32[1] parameter(1)\n";
  const base::Bytes gathered =
      bytes_moved(arguments +
                  "ROOT g = f32[64,64,128] gather(x, i), offset_dims={0,1,2}, collapsed_slice_dims={}, "
                  "start_index_map={1}, index_vector_dim=0, slice_sizes={64,64,128}");
  const base::Bytes sliced = bytes_moved(arguments +
                                         "z = s32[] constant(0)\n s = s32[] reshape(i)\n "
                                         "ROOT g = f32[64,64,128] dynamic-slice(x, z, s, z), "
                                         "dynamic_slice_sizes={64,64,128}");
  EXPECT_EQ(gathered, sliced);
}

}  // namespace
}  // namespace podsim::sw::compiler
