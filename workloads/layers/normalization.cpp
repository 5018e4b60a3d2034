// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/normalization.h"

#include <numeric>

namespace podsim::workloads::layers {

using hlo::InstructionId;

InstructionId normalized(TrainedTensors& tensors, InstructionId x, NormKind kind) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const std::int64_t last = std::int64_t(sizes.size()) - 1;
  std::vector<std::int64_t> rows(last);
  std::iota(rows.begin(), rows.end(), 0);
  const auto mean = [&](InstructionId value) {
    const InstructionId sum = b.reduce_add(value, {last});
    return b.multiply(sum, b.full_like(sum, 1.0 / double(sizes.back())));
  };
  const InstructionId wide = b.convert(x, tensors.precision().parameter);
  InstructionId centred = wide, variance = mean(b.multiply(wide, wide));
  if (kind == NormKind::layer_norm) {
    const InstructionId centre = mean(wide);
    centred = b.subtract(wide, b.broadcast(centre, sizes, rows));
    variance = b.subtract(variance, b.multiply(centre, centre));
  }
  const InstructionId factor = b.rsqrt(b.add(variance, b.full_like(variance, 1e-6)));
  InstructionId y = b.multiply(centred, b.broadcast(factor, sizes, rows));
  y = b.multiply(y, b.broadcast(tensors.vector("scale", {sizes.back()}), sizes, {last}));
  if (kind == NormKind::layer_norm) y = b.add(y, b.broadcast(tensors.vector("bias", {sizes.back()}), sizes, {last}));
  return b.convert(y, b.type(x));
}

}  // namespace podsim::workloads::layers
