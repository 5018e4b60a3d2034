// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient.h"

/// A network as a graph from its weights and a micro-batch to the loss, as pipelines divide it.
namespace podsim::hlo::pipeline {

struct Network {
  const build::GraphBuilder& graph;      ///< outlives this
  InstructionId loss = -1;               ///< a floating-point scalar
  std::vector<InstructionId> weights;    ///< the entry parameters that are trained; the others are of the micro-batch
  std::vector<InstructionId> held = {};  ///< as in transform::gradients()
  std::vector<transform::GivenGradient> given = {};  ///< as in transform::gradients()
};

/// What a value of the network depends on, which says where in a pipeline it is computed.
enum class Origin {
  unused,      ///< the loss does not depend on it
  weights,     ///< on weights alone, such as a weight in the type of the activations: once a step, where it is used
  microbatch,  ///< on no weight, and cheap, such as a mask: wherever it is used
  activation,  ///< on both, or it is expensive or random: by one chunk, which sends it to those behind
};

/// By instruction of the graph.
struct Origins {
  std::vector<Origin> of;
  std::vector<bool> trained;               ///< whether it depends on a weight
  std::vector<InstructionId> activations;  ///< in ascending order
};
Origins find_origins(const Network& network);

}  // namespace podsim::hlo::pipeline
