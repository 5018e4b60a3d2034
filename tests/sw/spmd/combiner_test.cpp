// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/combiner.h"

#include <gtest/gtest.h>

#include "sw/graph/evaluator.h"

namespace podsim::sw {
namespace {

constexpr Opcode combiners[] = {Opcode::add,     Opcode::multiply,    Opcode::minimum,
                                Opcode::maximum, Opcode::logical_and, Opcode::logical_or};

/// A few values of a type, 64-bit ones as integers.
Literal values_of(ElementType type) {
  Literal literal{make_shape(type, {3}), {}, {}, {}};
  const bool has_sign = is_floating_point(type) || is_signed_integer(type);
  if (is_wide(type)) {
    literal.integers = {0, 5, has_sign ? -7 : 7};
  } else {
    literal.values =
        type == ElementType::pred ? std::vector<double>{0, 1, 1} : std::vector<double>{0, 5, has_sign ? -7.0 : 7.0};
  }
  return literal;
}

TEST(combiner, what_is_combined_with_the_identity_stays_as_it_is) {
  for (const ElementType type :
       {ElementType::pred, ElementType::s8, ElementType::u8, ElementType::s32, ElementType::u32, ElementType::s64,
        ElementType::u64, ElementType::bf16, ElementType::f32, ElementType::f64}) {
    for (const Opcode combiner : combiners) {
      const bool is_logical = combiner == Opcode::logical_and || combiner == Opcode::logical_or;
      if (is_logical && is_floating_point(type)) continue;
      if (type == ElementType::pred && !is_logical) continue;
      const Literal values = values_of(type);
      GraphBuilder b("test");
      const InstructionId x = b.parameter(values.shape, "x");
      const InstructionId identity = b.broadcast(identity_of(b, combiner, type), {3});
      const Module module = std::move(b).build(b.binary(combiner, x, identity));
      EXPECT_TRUE(same_values(evaluate(module, std::vector{values}), values))
          << to_string(combiner) << " of " << to_string(type);
    }
  }
}

TEST(combiner, is_one_op_of_its_two_parameters) {
  GraphBuilder b("test");
  for (const Opcode opcode : {Opcode::add, Opcode::maximum, Opcode::subtract}) {
    const ComputationId id = b.combiner(opcode, ElementType::f32);
    const std::optional<Opcode> found = simple_combiner(b.called_computations()[std::size_t(id)]);
    EXPECT_EQ(found, opcode == Opcode::subtract ? std::nullopt : std::optional(opcode));
  }
}

TEST(combiner, constants_of_64_bits_that_differ_are_two) {
  GraphBuilder b("test");
  EXPECT_NE(b.constant(ElementType::s64, 3), b.constant(ElementType::s64, 4));
  EXPECT_EQ(b.constant(ElementType::u64, 3), b.constant(ElementType::u64, 3));
}

}  // namespace
}  // namespace podsim::sw
