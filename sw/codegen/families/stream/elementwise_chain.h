// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "hlo/build/graph_builder.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::families::stream {

/// A chain of elementwise operations on f32 values, as code and as a graph.
struct ElementwiseChain {
  std::string name;  ///< "gelu"
  std::string formula;
  int inputs = 1;  ///< x, or x and y
  /// Writes the code for one register; y is x if there is one input.
  registers::VectorReg (*code)(builder::KernelBuilder& builder, registers::VectorReg x,
                               registers::VectorReg y) = nullptr;
  hlo::InstructionId (*graph)(hlo::build::GraphBuilder& graph, hlo::InstructionId x, hlo::InstructionId y) = nullptr;
  hw::VectorWork work;  ///< work of `code`; a transcendental operation also takes a vector slot
  /// Kernel::rounding_steps, from the least exact of the operations.
  double rounding_steps = 0;
};

std::span<const ElementwiseChain> elementwise_chains();
const ElementwiseChain& elementwise_chain(const std::string& name);

}  // namespace podsim::sw::codegen::families::stream
