// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient.h"

/// A network whose layers are worth computing again.
namespace podsim::hlo::testing {

/// Residual layers x + tanh(x w) v, [rows, width] to [rows, hidden] and back.
struct ResidualNetwork {
  std::int64_t layers = 4, rows = 8, width = 4, hidden = 16;
  ElementType type = ElementType::f32;
};

/// The loss of a network and its gradients.
inline Module training(const ResidualNetwork& n) {
  build::GraphBuilder b("residual_network");
  std::vector<InstructionId> kernels;
  for (std::int64_t i = 0; i < n.layers; ++i) {
    kernels.push_back(b.parameter(make_shape(n.type, {n.width, n.hidden}), fmt::format("w{}", i)));
    kernels.push_back(b.parameter(make_shape(n.type, {n.hidden, n.width}), fmt::format("v{}", i)));
  }
  InstructionId x = b.parameter(make_shape(n.type, {n.rows, n.width}), "x");
  for (std::size_t i = 0; i < std::size_t(n.layers); ++i) {
    const build::GraphBuilder::Scope scope(b, fmt::format("layer{}", i));
    const InstructionId wide = b.tanh(b.dot(x, kernels[2 * i], {{}, {}, {1}, {0}}));
    const InstructionId narrow = b.dot(wide, kernels[2 * i + 1], {{}, {}, {1}, {0}});
    x = b.add(x, b.multiply(narrow, b.full_like(narrow, 0.5)));
  }
  const InstructionId loss = [&] {
    const build::GraphBuilder::Scope scope(b, "loss");
    return b.reduce_add(b.multiply(x, x), {0, 1});
  }();
  std::vector<InstructionId> results = transform::gradients(b, loss, kernels);
  results.push_back(loss);
  const InstructionId root = b.tuple(results);
  return std::move(b).build(root);
}

/// Rebuilds a module with a builder, which merges equal instructions.
inline Module rewritten(const Module& module) {
  build::GraphBuilder b(module.name);
  std::vector<InstructionId> written;
  for (Instruction instruction : module.entry_computation().instructions) {
    for (InstructionId& operand : instruction.operands) operand = written[std::size_t(operand)];
    for (ComputationId& called : instruction.called) called = b.copy_computation(module, called);
    const bool parameter = instruction.opcode == Opcode::parameter;
    written.push_back(parameter ? b.parameter(instruction.shape, instruction.name) : b.add(std::move(instruction)));
  }
  return std::move(b).build(written[std::size_t(module.entry_computation().root)]);
}

}  // namespace podsim::hlo::testing
