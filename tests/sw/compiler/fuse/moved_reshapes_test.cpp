// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/moved_reshapes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

using Sizes = std::vector<std::int64_t>;

/// The module after the pass, which must not change a bit of the result.
hlo::Module moved(const hlo::Module& module) {
  hlo::Module after = module;
  move_reshapes_to_statistics(after.computations[std::size_t(after.entry)]);
  hlo::build::verify(after);
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId parameter : entry.parameters) {
    arguments.push_back(hlo::testing::random_literal(entry[parameter].shape, unsigned(arguments.size()) + 1));
  }
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(module, arguments), hlo::eval::evaluate(after, arguments)));
  return after;
}

/// Reshapes with a result of these sizes.
std::ptrdiff_t reshapes_to(const hlo::Module& module, const Sizes& sizes) {
  return std::ranges::count_if(module.entry_computation().instructions, [&](const hlo::Instruction& i) {
    return i.opcode == hlo::Opcode::reshape && i.shape.dimensions == sizes;
  });
}

/// x - mean of its group, in the dimensions of x [images, height, width, channels].
hlo::Module centred(const Sizes& sizes, std::int64_t groups) {
  hlo::build::GraphBuilder b("centred");
  const Sizes view{sizes[0], sizes[1] * sizes[2], groups, sizes[3] / groups};
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), "x");
  const hlo::InstructionId grouped = b.reshape(x, view), sum = b.reduce_add(grouped, {1, 3});
  return std::move(b).build(b.reshape(b.subtract(grouped, b.broadcast(sum, view, {0, 2})), sizes));
}

TEST(MovedReshapes, AGroupNormAppliesItsStatisticsToTheImage) {
  const Sizes image{2, 3, 5, 12};
  const hlo::Module module = centred(image, 4), after = moved(module);
  EXPECT_EQ(reshapes_to(module, image), 1);
  EXPECT_EQ(reshapes_to(after, image), 0);
  EXPECT_EQ(reshapes_to(after, {2, 15, 4, 3}), 1) << "for the sums";
  EXPECT_EQ(reshapes_to(after, {2, 12}), 1) << "of the statistics";
}

RC_GTEST_PROP(MovedReshapes, KeepEveryBit, ()) {
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 5); };
  const std::int64_t groups = size();
  moved(centred({size(), size(), size(), groups * size()}, groups));
}

TEST(MovedReshapes, ABroadcastMayExchangeDimensions) {
  hlo::build::GraphBuilder b("exchanged");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {9, 2}), "x");
  const hlo::InstructionId s = b.parameter(hlo::make_shape(hlo::ElementType::f32, {3, 3}), "s");
  const hlo::InstructionId sum = b.add(b.reshape(x, {3, 3, 2}), b.broadcast(s, {3, 3, 2}, {1, 0}));
  const hlo::Module after = moved(std::move(b).build(b.reshape(sum, {9, 2})));
  EXPECT_EQ(reshapes_to(after, {3, 3, 2}), 0);
}

TEST(MovedReshapes, WhatComesFromAnotherShapeStays) {
  hlo::build::GraphBuilder b("other");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {6, 4}), "x");
  const hlo::InstructionId y = b.parameter(hlo::make_shape(hlo::ElementType::f32, {24}), "y");
  const hlo::InstructionId sum = b.add(b.reshape(x, {2, 12}), b.reshape(y, {2, 12}));
  const hlo::Module after = moved(std::move(b).build(b.reshape(sum, {6, 4})));
  EXPECT_EQ(reshapes_to(after, {2, 12}), 2);
  EXPECT_EQ(reshapes_to(after, {6, 4}), 1);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
