// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/literals.h"

/// Gradients against central differences.
namespace podsim::hlo::testing {

using Ids = std::vector<InstructionId>;
using Write = std::function<InstructionId(build::GraphBuilder&, const Ids&)>;

/// sum(weights * write(inputs)) with random weights, so that every element of the result has its own weight; followed
/// by the gradients of all inputs on request.
inline Module loss_module(const Write& write, const std::vector<Literal>& inputs, bool with_gradients) {
  build::GraphBuilder b("test");
  Ids ids;
  for (const Literal& input : inputs) ids.push_back(b.parameter(input.shape, "x" + std::to_string(ids.size())));
  const InstructionId y = write(b, ids);
  const InstructionId weighted = b.multiply(y, b.constant(random_literal(b.shape(y), 99)));
  std::vector<std::int64_t> all(b.shape(y).rank());
  std::iota(all.begin(), all.end(), 0);
  const InstructionId loss = b.reduce_add(weighted, all);
  Ids results{loss};
  if (with_gradients) {
    const Ids slopes = transform::gradients(b, loss, ids);
    results.insert(results.end(), slopes.begin(), slopes.end());
  }
  Module module = std::move(b).build(b.tuple(results));
  build::verify(module);
  return module;
}

/// Reverse mode against central differences in double precision, element by element, to 1e-4 relative (and 1e-8).
inline void expect_gradients_match(const Write& write, std::vector<Literal> inputs) {
  const Literal result = eval::evaluate(loss_module(write, inputs, true), inputs);
  const Module forward = loss_module(write, inputs, false);
  const double h = 1e-5;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (std::size_t i = 0; i < inputs[k].values.size(); ++i) {
      const double value = inputs[k].values[i];
      inputs[k].values[i] = value + h;
      const double above = eval::evaluate(forward, inputs).elements[0].values[0];
      inputs[k].values[i] = value - h;
      const double below = eval::evaluate(forward, inputs).elements[0].values[0];
      inputs[k].values[i] = value;
      const double slope = (above - below) / (2 * h);
      ASSERT_NEAR(result.elements[1 + k].values[i], slope, 1e-8 + 1e-4 * std::abs(slope))
          << "input " << k << "[" << i << "]";
    }
  }
}

}  // namespace podsim::hlo::testing
