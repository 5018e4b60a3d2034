// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer.h"

#include <numeric>

namespace podsim::workloads {

using sw::GraphBuilder;
using sw::InstructionId;

namespace {

InstructionId norm(GraphBuilder& b, InstructionId x) {
  std::vector<std::int64_t> all(b.shape(x).rank());
  std::iota(all.begin(), all.end(), 0);
  return b.sqrt(b.reduce_add(b.multiply(x, x), all));
}

InstructionId scaled(GraphBuilder& b, InstructionId x, double factor) { return b.multiply(x, b.full_like(x, factor)); }

InstructionId trust_ratio(GraphBuilder& b, const Optimizer& optimizer, InstructionId value, InstructionId gradient) {
  const InstructionId value_norm = norm(b, value);
  const InstructionId gradient_norm = norm(b, gradient);
  const InstructionId zero = b.full_like(value_norm, 0);
  const InstructionId has_norms = b.logical_and(b.compare(value_norm, zero, sw::ComparisonDirection::gt),
                                                b.compare(gradient_norm, zero, sw::ComparisonDirection::gt));
  const InstructionId denominator = b.add(gradient_norm, scaled(b, value_norm, optimizer.weight_decay));
  const InstructionId ratio = b.divide(scaled(b, value_norm, optimizer.trust), denominator);
  return b.select(has_norms, ratio, b.full_like(value_norm, 1));
}

}  // namespace

Update update(GraphBuilder& b, const Optimizer& optimizer, const TrainedTensor& tensor, InstructionId gradient,
              InstructionId momentum, InstructionId learning_rate) {
  const std::vector<std::int64_t> sizes = b.shape(tensor.value).dimensions;
  const InstructionId step =
      tensor.is_kernel ? b.add(gradient, scaled(b, tensor.value, optimizer.weight_decay)) : gradient;
  const InstructionId kept = scaled(b, momentum, optimizer.momentum);
  if (optimizer.kind == OptimizerKind::sgd_momentum) {
    const InstructionId velocity = b.add(kept, step);
    return {b.subtract(tensor.value, b.multiply(b.broadcast(learning_rate, sizes), velocity)), velocity};
  }
  const InstructionId rate =
      tensor.is_kernel ? b.multiply(learning_rate, trust_ratio(b, optimizer, tensor.value, gradient)) : learning_rate;
  const InstructionId velocity = b.add(kept, b.multiply(b.broadcast(rate, sizes), step));
  return {b.subtract(tensor.value, velocity), velocity};
}

}  // namespace podsim::workloads
