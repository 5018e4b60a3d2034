// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hlo/transform/flatten.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::testing {

/// Gradients of the sum of all elements of a module's root, an array of real numbers, with respect to its parameters,
/// which have these values in row-major order.
inline std::vector<std::vector<double>> slopes(const Module& program, const std::vector<std::vector<double>>& values) {
  const Module forward = transform::flattened(program);
  build::GraphBuilder b("test");
  const InstructionId root = b.append_entry(forward);
  std::vector<std::int64_t> all(b.shape(root).dimensions.size());
  std::iota(all.begin(), all.end(), 0);
  const InstructionId loss = b.reduce_add(root, all);
  std::vector<InstructionId> results = transform::gradients(b, loss, b.parameters());
  std::vector<Literal> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Shape& shape = b.shape(b.parameters()[i]);
    arguments.push_back(make_literal(shape.element_type, shape.dimensions, values[i]));
  }
  const InstructionId tuple = b.tuple(std::move(results));
  const Module module = std::move(b).build(tuple);
  std::vector<std::vector<double>> found;
  for (const Literal& slope : eval::evaluate(module, arguments).elements) found.push_back(slope.values);
  return found;
}

/// Those of a text with these lines as its entry.
inline std::vector<std::vector<double>> slopes(const std::string& lines, const std::vector<std::vector<double>>& values,
                                               const std::string& computations = "") {
  return slopes(graph_of_entry(lines, computations), values);
}

}  // namespace podsim::hlo::testing
