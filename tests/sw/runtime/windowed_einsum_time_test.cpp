// SPDX-License-Identifier: Apache-2.0
// Products in steps, which the partitioner writes, in time.
#include <gtest/gtest.h>

#include <array>

#include "hlo/build/graph_builder.h"
#include "sw/driver/compile.h"
#include "sw/runtime/session/session.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime {
namespace {

const hlo::spmd::partition::PartitionOptions options{.windowed_einsum = true};

/// The step of bf16[m, k] x bf16[k, n] on the eight cores of 2x2 chips, in steps or as one dot.
RunResult simulated(const std::array<std::int64_t, 3>& sizes, const std::vector<std::string>& x,
                    const std::vector<std::string>& y, const hlo::spmd::partition::PartitionOptions& chosen) {
  const hlo::spmd::mesh::Mesh mesh({{"x", 8}});
  hlo::build::GraphBuilder b("whole");
  const auto [m, k, n] = sizes;
  const hlo::InstructionId left = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {m, k}), "x");
  const hlo::InstructionId right = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {k, n}), "y");
  const hlo::Module module = std::move(b).build(b.dot(left, right, {{}, {}, {1}, {0}}));
  const hlo::spmd::mesh::ValueSharding wanted{hlo::spmd::mesh::parse_axes(mesh, {"x", ""}, 2)};
  const hlo::spmd::testing::PartitionedOp op = hlo::spmd::testing::partition_root(
      module, mesh, {hlo::spmd::mesh::parse_axes(mesh, x, 2), hlo::spmd::mesh::parse_axes(mesh, y, 2)}, wanted,
      hlo::spmd::partition::partition_op, chosen);
  const sw::TargetMachine machine = sw::tpu_v3();
  return testing::run(driver::compile(op.module, machine).program, machine, testing::open_2x2(), {});
}

TEST(WindowedEinsumTime, WhatGoesRoundIsHiddenBehindLongerProducts) {
  const std::array<std::int64_t, 3> sizes{8192, 8192, 8192};
  const RunResult whole = simulated(sizes, {"x", ""}, {"", "x"}, {});
  const RunResult in_steps = simulated(sizes, {"x", ""}, {"", "x"}, options);
  EXPECT_GT(whole.collective.value(), whole.step_time.value() / 5);
  EXPECT_EQ(in_steps.collective.value(), 0);
  EXPECT_LT(in_steps.step_time, whole.step_time);
}

TEST(WindowedEinsumTime, SumsThatGoRoundAreHiddenBehindLongerProducts) {
  const std::array<std::int64_t, 3> sizes{8192, 65536, 8192};
  const RunResult whole = simulated(sizes, {"", "x"}, {"x", ""}, {});
  const RunResult in_steps = simulated(sizes, {"", "x"}, {"x", ""}, options);
  EXPECT_GT(whole.collective.value(), 0);
  EXPECT_EQ(in_steps.collective.value(), 0);
}

}  // namespace
}  // namespace podsim::sw::runtime
