// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/distances.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

InstructionId huber_distance(GraphBuilder& b, InstructionId x, double bend) {
  const InstructionId size = b.abs(x), limit = b.full_like(x, bend);
  const InstructionId near = b.multiply(b.full_like(x, 0.5), b.multiply(x, x));
  const InstructionId far = b.multiply(limit, b.subtract(size, b.full_like(x, bend / 2)));
  return b.select(b.compare(size, limit, hlo::ComparisonDirection::le), near, far);
}

InstructionId binary_cross_entropy(GraphBuilder& b, InstructionId logits, InstructionId targets) {
  const InstructionId power = b.exponential(b.negate(b.abs(logits)));
  const InstructionId rest = b.log(b.add(b.full_like(power, 1), power));
  const InstructionId linear = b.subtract(b.maximum(logits, b.full_like(logits, 0)), b.multiply(logits, targets));
  return b.add(linear, rest);
}

}  // namespace podsim::workloads::layers
