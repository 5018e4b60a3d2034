// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/embedding.h"

#include <numeric>

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

InstructionId one_hot(hlo::build::GraphBuilder& b, InstructionId indices, std::int64_t count, hlo::ElementType type) {
  Sizes sizes = b.shape(indices).dimensions;
  Sizes leading(sizes.size());
  std::iota(leading.begin(), leading.end(), 0);
  sizes.push_back(count);
  const InstructionId places = b.iota(hlo::make_shape(b.type(indices), sizes), std::int64_t(leading.size()));
  const InstructionId is_it = b.compare(b.broadcast(indices, sizes, leading), places, hlo::ComparisonDirection::eq);
  return b.convert(is_it, type);
}

InstructionId embedded(TrainedTensors& tensors, InstructionId table, InstructionId indices, EmbeddingLookup lookup) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const Sizes sizes = b.shape(table).dimensions;
  const hlo::ElementType activation = tensors.precision().activation;
  const int rank = b.shape(indices).rank();
  if (lookup == EmbeddingLookup::one_hot) {
    const InstructionId rows = one_hot(b, indices, sizes[0], activation);
    const InstructionId narrow = b.convert(table, activation);
    const hlo::build::GraphBuilder::Scope scope(b, "lookup");
    return b.dot(rows, narrow, {{}, {}, {rank}, {0}});
  }
  Sizes vectors = b.shape(indices).dimensions;
  vectors.push_back(1);
  const InstructionId places = b.reshape(indices, vectors);
  const hlo::build::GraphBuilder::Scope scope(b, "lookup");
  const InstructionId rows = b.gather(table, places, {{rank}, {0}, {0}, {}, {}, rank}, {1, sizes[1]});
  return b.convert(rows, activation);
}

}  // namespace podsim::workloads::layers
