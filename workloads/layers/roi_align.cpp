// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/roi_align.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

InstructionId interpolation_weights(GraphBuilder& b, InstructionId low, InstructionId high, std::int64_t bins,
                                    std::int64_t samples, std::int64_t size) {
  const std::vector<std::int64_t> boxes = b.shape(low).dimensions;
  const hlo::Shape bin_shape = hlo::make_shape(b.type(low), {boxes[0], boxes[1], bins});
  const hlo::Shape shape = hlo::make_shape(b.type(low), {boxes[0], boxes[1], bins, size});
  const InstructionId begin = b.broadcast(low, bin_shape.dimensions, {0, 1});
  const InstructionId length = b.broadcast(b.subtract(high, low), bin_shape.dimensions, {0, 1});
  const InstructionId bin = b.iota(bin_shape, 2), place = b.iota(shape, 3);
  InstructionId sum = -1;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const InstructionId share = b.multiply(b.add(bin, b.full_like(bin, (double(sample) + 0.5) / double(samples))),
                                           b.full_like(bin, 1 / double(bins)));
    const InstructionId middle = b.subtract(b.add(begin, b.multiply(share, length)), b.full_like(bin, 0.5));
    const InstructionId at =
        b.minimum(b.maximum(middle, b.full_like(middle, 0)), b.full_like(middle, double(size - 1)));
    const InstructionId distance = b.abs(b.subtract(b.broadcast(at, shape.dimensions, {0, 1, 2}), place));
    const InstructionId weight = b.maximum(b.subtract(b.full_like(distance, 1), distance), b.full_like(distance, 0));
    sum = sample == 0 ? weight : b.add(sum, weight);
  }
  return b.multiply(sum, b.full_like(sum, 1 / double(samples)));
}

InstructionId aligned(GraphBuilder& b, InstructionId map, InstructionId of_rows, InstructionId of_columns) {
  // [batch, boxes, columns, height, channels], then [batch, boxes, rows, columns, channels]
  const InstructionId narrow = b.dot(of_columns, map, {{0}, {0}, {3}, {2}});
  return b.dot(of_rows, narrow, {{0, 1}, {0, 1}, {3}, {3}});
}

}  // namespace podsim::workloads::layers
