// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/host_batch.h"

#include <gtest/gtest.h>

#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler {
namespace {

hlo::Module state_and_batch() {
  return hlo::text::testing::graph_of(R"(HloModule m

ENTRY main {
  state = (f32[10]{0}, bf16[3,5]{1,0}) parameter(0)
  batch = s32[7]{0} parameter(1)
  weight = f32[10]{0} get-tuple-element(state), index=0
  ROOT result = (f32[10]{0}) tuple(weight)
}
)");
}

TEST(HostBatch, IsWhatNoOutputReplaces) {
  const hlo::Donation weight{0, 0, 0};
  EXPECT_EQ(batch_bytes(state_and_batch(), {{weight}}), base::Bytes(3 * 5 * 2 + 7 * 4));
}

TEST(HostBatch, IsUnknownWithoutDonations) { EXPECT_EQ(batch_bytes(state_and_batch(), {}), base::Bytes(0)); }

TEST(HostBatch, IsAllButTheState) {
  EXPECT_EQ(state_bytes(state_and_batch(), {{hlo::Donation{0, 0, 0}}}), std::vector{base::Bytes(10 * 4)});
  const std::vector<hlo::Donation> both{{0, 1, 0}, {1, 0, 1}};
  EXPECT_EQ(state_bytes(state_and_batch(), both), (std::vector{base::Bytes(3 * 5 * 2), base::Bytes(7 * 4)}));
  EXPECT_TRUE(state_bytes(state_and_batch(), {}).empty());
}

TEST(HostBatch, ComesBeforeAllOtherItems) {
  Program program;
  program.loops.push_back({"loop", "", 1, 3, 5});
  program.items.resize(5);
  program.items[3].phase = hlo::AsyncPhase::start;
  program.items[4].phase = hlo::AsyncPhase::done;
  program.items[4].started_by = 3;
  wait_for_batch(program, base::Bytes(100));
  ASSERT_EQ(program.items.size(), 6u);
  EXPECT_EQ(program.items[0].kind, ProgramItem::Kind::infeed);
  EXPECT_EQ(program.items[5].started_by, 4);
  EXPECT_EQ(program.items[4].phase, hlo::AsyncPhase::start);
  EXPECT_EQ(program.loops[0].first, 2);
  EXPECT_EQ(program.loops[0].end, 4);
  wait_for_batch(program, base::Bytes(100));  // a program with infeeds stays as it is
  EXPECT_EQ(program.items.size(), 6u);
}

}  // namespace
}  // namespace podsim::sw::compiler
