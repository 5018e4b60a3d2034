// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/combiner.h"

#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"

namespace podsim::hlo::spmd::propagate {
namespace {

constexpr hlo::Opcode combiners[] = {hlo::Opcode::add,     hlo::Opcode::multiply,    hlo::Opcode::minimum,
                                     hlo::Opcode::maximum, hlo::Opcode::logical_and, hlo::Opcode::logical_or};

/// A few values of a type, 64-bit ones as integers.
hlo::Literal values_of(hlo::ElementType type) {
  hlo::Literal literal{hlo::make_shape(type, {3}), {}, {}, {}};
  const bool has_sign = hlo::is_floating_point(type) || hlo::is_signed_integer(type);
  if (hlo::is_wide(type)) {
    literal.integers = {0, 5, has_sign ? -7 : 7};
  } else {
    literal.values = type == hlo::ElementType::pred ? std::vector<double>{0, 1, 1}
                                                    : std::vector<double>{0, 5, has_sign ? -7.0 : 7.0};
  }
  return literal;
}

TEST(Combiner, WhatIsCombinedWithTheIdentityStaysAsItIs) {
  for (const hlo::ElementType type :
       {hlo::ElementType::pred, hlo::ElementType::s8, hlo::ElementType::u8, hlo::ElementType::s32,
        hlo::ElementType::u32, hlo::ElementType::s64, hlo::ElementType::u64, hlo::ElementType::bf16,
        hlo::ElementType::f32, hlo::ElementType::f64}) {
    for (const hlo::Opcode combiner : combiners) {
      const bool is_logical = combiner == hlo::Opcode::logical_and || combiner == hlo::Opcode::logical_or;
      if (is_logical && hlo::is_floating_point(type)) continue;
      if (type == hlo::ElementType::pred && !is_logical) continue;
      const hlo::Literal values = values_of(type);
      build::GraphBuilder b("test");
      const hlo::InstructionId x = b.parameter(values.shape, "x");
      const hlo::InstructionId identity = b.broadcast(identity_of(b, combiner, type), {3});
      const hlo::Module module = std::move(b).build(b.binary(combiner, x, identity));
      EXPECT_TRUE(hlo::same_values(eval::evaluate(module, std::vector{values}), values))
          << hlo::to_string(combiner) << " of " << hlo::to_string(type);
    }
  }
}

TEST(Combiner, IsOneOpOfItsTwoParameters) {
  build::GraphBuilder b("test");
  for (const hlo::Opcode opcode : {hlo::Opcode::add, hlo::Opcode::maximum, hlo::Opcode::subtract}) {
    const hlo::ComputationId id = b.combiner(opcode, hlo::ElementType::f32);
    const std::optional<hlo::Opcode> found = simple_combiner(b.called_computations()[std::size_t(id)]);
    EXPECT_EQ(found, opcode == hlo::Opcode::subtract ? std::nullopt : std::optional(opcode));
  }
}

TEST(Combiner, ConstantsOf64BitsThatDifferAreTwo) {
  build::GraphBuilder b("test");
  EXPECT_NE(b.constant(hlo::ElementType::s64, 3), b.constant(hlo::ElementType::s64, 4));
  EXPECT_EQ(b.constant(hlo::ElementType::u64, 3), b.constant(hlo::ElementType::u64, 3));
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
