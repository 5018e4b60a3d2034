// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/build/graph_builder.h"
#include "sw/driver/compile.h"
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

}  // namespace
}  // namespace podsim::sw::compiler
