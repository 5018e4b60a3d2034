// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm_network.h"

#include <fmt/format.h>

namespace podsim::workloads::models::recommenders {

using hlo::InstructionId;
using Sizes = std::vector<std::int64_t>;

InstructionId DlrmNetwork::perceptron(std::string_view name, InstructionId x, const Sizes& units, bool bends_last) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("{}{}", name, i));
    x = layers_.dense(x, units[i]);
    if (bends_last || i + 1 < units.size()) x = layers_.relu(x);
  }
  return x;
}

InstructionId DlrmNetwork::bottom(InstructionId dense) { return perceptron("bottom", dense, options_.bottom, true); }

InstructionId DlrmNetwork::top(InstructionId x, InstructionId rows) {
  const Sizes sizes = b_.shape(rows).dimensions;
  const std::int64_t count = sizes[1];
  const InstructionId products = [&] {
    const hlo::build::GraphBuilder::Scope scope(b_, "interaction");
    return b_.dot(rows, rows, {{0}, {0}, {2}, {2}});
  }();
  const hlo::Shape square = hlo::make_shape(hlo::ElementType::s32, {count, count});
  const InstructionId below = b_.compare(b_.iota(square, 0), b_.iota(square, 1), hlo::ComparisonDirection::gt);
  const InstructionId kept =
      b_.select(b_.broadcast(below, {sizes[0], count, count}, {1, 2}), products, b_.full_like(products, 0));
  const InstructionId all = b_.concatenate({x, b_.reshape(kept, {sizes[0], count * count})}, 1);
  return b_.reshape(perceptron("top", all, options_.top, false), {sizes[0]});
}

InstructionId DlrmNetwork::cross_entropy(InstructionId z, InstructionId y, std::int64_t samples) {
  const hlo::build::GraphBuilder::Scope scope(b_, "loss");
  const InstructionId tail = b_.unary(hlo::Opcode::log_plus_one, b_.exponential(b_.negate(b_.abs(z))));
  const InstructionId of_sample = b_.add(b_.subtract(b_.maximum(z, b_.full_like(z, 0)), b_.multiply(z, y)), tail);
  const InstructionId sum = b_.reduce_add(of_sample, {0});
  return b_.multiply(sum, b_.full_like(sum, 1.0 / double(samples)));
}

}  // namespace podsim::workloads::models::recommenders
