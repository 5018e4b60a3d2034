// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient.h"

/// Random programs with branches, to be shared out to devices.
namespace podsim::hlo::devices::testing {

struct BranchyOptions {
  int products = 8;
  std::int64_t size = 3;  ///< of the square matrices
  ElementType type = ElementType::f64;
  bool reduces = false;      ///< all-reduces the gradients
  std::int64_t numbers = 0;  ///< partitions, by whose numbers the loss is multiplied; 0: none
};

/// A step of gradient descent: products of weights and earlier values, chosen at random and sometimes added to another
/// one; the loss is the sum of the squares of all that nothing else reads. Weights replace themselves; the loss is the
/// last result.
inline Module branchy_step(unsigned seed, const BranchyOptions& options) {
  std::mt19937 random(seed);
  build::GraphBuilder b("branchy");
  const Shape square = make_shape(options.type, {options.size, options.size});
  std::vector<InstructionId> weights, values{b.parameter(square, "x")};
  for (int i = 0; i < options.products; ++i) weights.push_back(b.parameter(square, "w" + std::to_string(i)));
  std::vector<bool> is_read(1, false);
  const auto any = [&] {
    const std::size_t chosen = random() % values.size();
    is_read[chosen] = true;
    return values[chosen];
  };
  DotDimensions rows_by_columns;
  rows_by_columns.lhs_contracting = {1};
  rows_by_columns.rhs_contracting = {0};
  for (const InstructionId weight : weights) {
    InstructionId value = b.tanh(b.dot(any(), weight, rows_by_columns));
    if (random() % 3 == 0) value = b.add(value, any());
    values.push_back(value);
    is_read.push_back(false);
  }
  InstructionId loss = b.constant(options.type, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_read[i]) loss = b.add(loss, b.reduce_add(b.multiply(values[i], values[i]), {0, 1}));
  }
  if (options.numbers > 0) loss = b.multiply(loss, b.convert(b.partition_id(), options.type));
  std::vector<InstructionId> results = transform::gradients(b, loss, weights);
  std::vector<Donation> donations;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    InstructionId gradient = results[i];
    if (options.reduces) gradient = b.all_reduce(gradient);
    results[i] = b.subtract(weights[i], b.multiply(gradient, b.full_like(gradient, 0.25)));
    donations.push_back({std::int64_t(i), b[weights[i]].index, 0});
  }
  results.push_back(loss);
  const InstructionId root = b.tuple(std::move(results));
  Module module = std::move(b).build(root);
  module.donations = std::move(donations);
  if (options.numbers > 0) module.partitions = options.numbers;
  return module;
}

}  // namespace podsim::hlo::devices::testing
