// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "hw/tile_op.h"
#include "sw/graph/graph_builder.h"
#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// A few elementwise operations in a row on f32 values, as code and as a graph.
struct ElementwiseChain {
  std::string name;  ///< "gelu"
  std::string formula;
  int inputs = 1;  ///< x, or x and y
  /// One register's worth; y is x where there is one input.
  VectorReg (*code)(KernelBuilder& builder, VectorReg x, VectorReg y) = nullptr;
  InstructionId (*graph)(GraphBuilder& graph, InstructionId x, InstructionId y) = nullptr;
  hw::VectorWork work;  ///< of `code`; a transcendental's push takes a vector slot too
  /// Kernel::rounding_steps: of the operation that the hardware computes least exactly.
  double rounding_steps = 0;
};

std::span<const ElementwiseChain> elementwise_chains();
const ElementwiseChain& elementwise_chain(const std::string& name);

}  // namespace podsim::sw
