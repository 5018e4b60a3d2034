// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/cross_entropy.h"

#include <numeric>

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

Sizes leading_dimensions(int rank) {
  Sizes leading(std::size_t(rank) - 1);
  std::iota(leading.begin(), leading.end(), 0);
  return leading;
}

InstructionId is_label(hlo::build::GraphBuilder& b, const hlo::Shape& shape, InstructionId labels) {
  const InstructionId places = b.iota(hlo::make_shape(b.type(labels), shape.dimensions), shape.rank() - 1);
  const InstructionId wanted = b.broadcast(labels, shape.dimensions, leading_dimensions(shape.rank()));
  return b.compare(places, wanted, hlo::ComparisonDirection::eq);
}

/// The targets of all classes.
InstructionId targets(hlo::build::GraphBuilder& b, const hlo::Shape& shape, InstructionId labels, double smoothing) {
  const InstructionId label = is_label(b, shape, labels);
  if (smoothing == 0) return b.convert(label, shape.element_type);
  const double each = smoothing / double(shape.dimensions.back());
  return b.select(label, b.full(shape, 1 - smoothing + each), b.full(shape, each));
}

/// The gradient of the logits, with g the gradient of the loss: share g (exp(logits - log_sum) - target).
InstructionId logits_gradient(hlo::build::GraphBuilder& b, InstructionId logits, InstructionId labels,
                              InstructionId log_sum, double share, double smoothing, InstructionId g) {
  const InstructionId wide = b.convert(logits, b.type(log_sum));
  const hlo::Shape shape = b.shape(wide);
  const InstructionId rows = b.broadcast(log_sum, shape.dimensions, leading_dimensions(shape.rank()));
  const InstructionId softmax = b.exponential(b.subtract(wide, rows));
  const InstructionId target = targets(b, shape, labels, smoothing);
  const InstructionId factor = b.multiply(g, b.full_like(g, share));
  const InstructionId slope = b.multiply(b.broadcast(factor, shape.dimensions), b.subtract(softmax, target));
  return b.convert(slope, b.type(logits));
}

}  // namespace

Loss cross_entropy(hlo::build::GraphBuilder& b, InstructionId logits, InstructionId labels, hlo::ElementType type,
                   double smoothing) {
  const InstructionId wide = b.convert(logits, type);
  const hlo::Shape shape = b.shape(wide);
  const std::int64_t last = shape.rank() - 1;
  const Sizes leading = leading_dimensions(shape.rank());
  const InstructionId highest = b.reduce_max(wide, {last});
  const InstructionId powers = b.exponential(b.subtract(wide, b.broadcast(highest, shape.dimensions, leading)));
  const InstructionId log_sum = b.add(b.log(b.reduce_add(powers, {last})), highest);
  const InstructionId expected = smoothing == 0 ? b.select(is_label(b, shape, labels), wide, b.full_like(wide, 0))
                                                : b.multiply(targets(b, shape, labels, smoothing), wide);
  const InstructionId sum = b.reduce_add(b.subtract(log_sum, b.reduce_add(expected, {last})), leading);
  const double share = double(shape.dimensions.back()) / double(shape.element_count());
  const InstructionId value = b.multiply(sum, b.full_like(sum, share));
  const auto rule = [=](hlo::build::GraphBuilder& builder, InstructionId g) {
    return std::vector{logits_gradient(builder, logits, labels, log_sum, share, smoothing, g)};
  };
  return {value, {}, {{value, {logits}, rule}}, {logits}};
}

}  // namespace podsim::workloads::layers
