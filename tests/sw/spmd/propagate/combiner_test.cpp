// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/combiner.h"

#include <gtest/gtest.h>

#include "sw/ir/eval/evaluator.h"

namespace podsim::sw::spmd::propagate {
namespace {

constexpr ir::Opcode combiners[] = {ir::Opcode::add,     ir::Opcode::multiply,    ir::Opcode::minimum,
                                    ir::Opcode::maximum, ir::Opcode::logical_and, ir::Opcode::logical_or};

/// A few values of a type, 64-bit ones as integers.
ir::Literal values_of(ir::ElementType type) {
  ir::Literal literal{ir::make_shape(type, {3}), {}, {}, {}};
  const bool has_sign = ir::is_floating_point(type) || ir::is_signed_integer(type);
  if (ir::is_wide(type)) {
    literal.integers = {0, 5, has_sign ? -7 : 7};
  } else {
    literal.values =
        type == ir::ElementType::pred ? std::vector<double>{0, 1, 1} : std::vector<double>{0, 5, has_sign ? -7.0 : 7.0};
  }
  return literal;
}

TEST(Combiner, WhatIsCombinedWithTheIdentityStaysAsItIs) {
  for (const ir::ElementType type :
       {ir::ElementType::pred, ir::ElementType::s8, ir::ElementType::u8, ir::ElementType::s32, ir::ElementType::u32,
        ir::ElementType::s64, ir::ElementType::u64, ir::ElementType::bf16, ir::ElementType::f32,
        ir::ElementType::f64}) {
    for (const ir::Opcode combiner : combiners) {
      const bool is_logical = combiner == ir::Opcode::logical_and || combiner == ir::Opcode::logical_or;
      if (is_logical && ir::is_floating_point(type)) continue;
      if (type == ir::ElementType::pred && !is_logical) continue;
      const ir::Literal values = values_of(type);
      ir::build::GraphBuilder b("test");
      const ir::InstructionId x = b.parameter(values.shape, "x");
      const ir::InstructionId identity = b.broadcast(identity_of(b, combiner, type), {3});
      const ir::Module module = std::move(b).build(b.binary(combiner, x, identity));
      EXPECT_TRUE(ir::same_values(ir::eval::evaluate(module, std::vector{values}), values))
          << ir::to_string(combiner) << " of " << ir::to_string(type);
    }
  }
}

TEST(Combiner, IsOneOpOfItsTwoParameters) {
  ir::build::GraphBuilder b("test");
  for (const ir::Opcode opcode : {ir::Opcode::add, ir::Opcode::maximum, ir::Opcode::subtract}) {
    const ir::ComputationId id = b.combiner(opcode, ir::ElementType::f32);
    const std::optional<ir::Opcode> found = simple_combiner(b.called_computations()[std::size_t(id)]);
    EXPECT_EQ(found, opcode == ir::Opcode::subtract ? std::nullopt : std::optional(opcode));
  }
}

TEST(Combiner, ConstantsOf64BitsThatDifferAreTwo) {
  ir::build::GraphBuilder b("test");
  EXPECT_NE(b.constant(ir::ElementType::s64, 3), b.constant(ir::ElementType::s64, 4));
  EXPECT_EQ(b.constant(ir::ElementType::u64, 3), b.constant(ir::ElementType::u64, 3));
}

}  // namespace
}  // namespace podsim::sw::spmd::propagate
