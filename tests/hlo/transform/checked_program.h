// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/transform/double_precision.h"
#include "hlo/transform/flatten.h"
#include "hlo/transform/gradient.h"
#include "hlo/transform/gradient_check.h"
#include "tests/hlo/literals.h"

/// Programs whose gradients are compared with central differences along random directions.
namespace podsim::hlo::testing {

/// Adds the sum of the real elements of a value, each times a random weight, to a list of sums.
inline void add_weighted_sums(build::GraphBuilder& b, InstructionId value, std::vector<InstructionId>& sums) {
  const Shape shape = b.shape(value);
  if (shape.is_tuple()) {
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      add_weighted_sums(b, b.get_tuple_element(value, std::int64_t(i)), sums);
    }
  } else if (is_complex(shape.element_type)) {
    add_weighted_sums(b, b.unary(Opcode::real, value), sums);
    add_weighted_sums(b, b.unary(Opcode::imag, value), sums);
  } else if (is_floating_point(shape.element_type)) {
    const Literal weights = random_literal(make_shape(ElementType::f64, shape.dimensions), 99 + unsigned(sums.size()));
    std::vector<std::int64_t> all(shape.dimensions.size());
    std::iota(all.begin(), all.end(), 0);
    sums.push_back(b.reduce_add(b.multiply(b.convert(value, ElementType::f64), b.constant(weights)), all));
  }
}

/// The weighted sum of a program's results; or, of the program as it is flattened, the gradients of the real parameters
/// in `of` of that sum.
inline Module weighted_program(const Module& forward, const std::vector<std::int64_t>* of) {
  build::GraphBuilder b("test");
  const InstructionId root = b.append_entry(of == nullptr ? forward : transform::flattened(forward));
  std::vector<InstructionId> sums;
  add_weighted_sums(b, root, sums);
  InstructionId loss = b.constant(ElementType::f64, 0);
  for (const InstructionId sum : sums) loss = b.add(loss, sum);
  if (of != nullptr) {
    std::vector<InstructionId> values;
    for (const std::int64_t number : *of) values.push_back(b.parameters()[std::size_t(number)]);
    loss = b.tuple(transform::gradients(b, loss, values));
  }
  Module module = std::move(b).build(loss);
  module.replicas = forward.replicas;
  module.partitions = forward.partitions;
  build::verify(module);
  return module;
}

/// Random arguments: reals uniform in a range, whole numbers 0 or 1.
struct ArgumentRange {
  double low = -1, high = 1;
};

inline std::vector<Literal> random_arguments(const Module& module, unsigned seed, ArgumentRange range) {
  std::vector<Literal> arguments;
  const Computation& entry = module.entry_computation();
  for (const InstructionId id : entry.parameters) {
    Literal literal = make_zeros(entry[id].shape);
    if (is_floating_point(entry[id].shape.element_type)) {
      literal = random_literal(make_shape(ElementType::f64, entry[id].shape.dimensions),
                               seed + unsigned(arguments.size()), range.low, range.high);
    }
    for (std::size_t i = 0; i < literal.integers.size(); ++i) literal.integers[i] = std::int64_t(i % 2);
    if (is_integer(entry[id].shape.element_type)) {
      for (std::size_t i = 0; i < literal.values.size(); ++i) literal.values[i] = double(i % 2);
    }
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

/// The check of every real parameter of a program, raised to double precision.
inline std::vector<transform::DirectionalSlope> checked_slopes(const Module& forward, std::size_t devices = 1,
                                                               ArgumentRange range = {}) {
  const Computation& entry = forward.entry_computation();
  transform::CheckedGradient checked;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    if (is_floating_point(entry[entry.parameters[i]].shape.element_type)) {
      checked.parameters.push_back(std::int64_t(i));
    }
  }
  const Module loss = transform::in_double_precision(weighted_program(forward, nullptr));
  const Module gradients = transform::in_double_precision(weighted_program(forward, &checked.parameters));
  checked.loss = &loss;
  checked.gradients = &gradients;
  std::vector<std::vector<Literal>> arguments;
  for (std::size_t device = 0; device < devices; ++device) {
    arguments.push_back(random_arguments(forward, unsigned(7 + 100 * device), range));
  }
  return transform::check_gradients(checked, arguments);
}

/// Every slope agrees, and at least one is not zero if `has_slope`.
inline void expect_agreement(const std::vector<transform::DirectionalSlope>& slopes, bool has_slope = true) {
  bool any = false;
  for (const transform::DirectionalSlope& slope : slopes) {
    EXPECT_EQ(slope.verdict, transform::Slope::agrees)
        << "parameter " << slope.parameter << ": " << slope.by_gradient << " against " << slope.by_differences << " of "
        << slope.to_left << " and " << slope.to_right << ", allowed " << slope.allowed;
    any = any || slope.by_differences != 0;
  }
  EXPECT_EQ(any, has_slope);
}

}  // namespace podsim::hlo::testing
