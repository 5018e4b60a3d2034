// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/network.h"

#include <algorithm>

#include "hlo/instruction_identity.h"
#include "hlo/transform/flops.h"

namespace podsim::hlo::pipeline {
namespace {

bool is_expensive_or_random(const Instruction& instruction) {
  if (instruction.opcode == Opcode::parameter) return false;
  if (transform::is_matmul(instruction.opcode) || !is_shareable(instruction.opcode)) return true;
  switch (instruction.opcode) {
    case Opcode::while_loop:
    case Opcode::conditional:
    case Opcode::call:
    case Opcode::fusion:
    case Opcode::sort:
    case Opcode::fft:
    case Opcode::custom_call:
    case Opcode::rng_bit_generator:
      return true;
    default:
      return false;
  }
}

}  // namespace

Origins find_origins(const Network& network) {
  const build::GraphBuilder& graph = network.graph;
  const std::size_t size = std::size_t(graph.size());
  Origins origins{std::vector<Origin>(size, Origin::unused), std::vector<bool>(size, false), {}};
  std::vector<bool> of_batch(size, false), costly(size, false);
  for (const InstructionId weight : network.weights) origins.trained[std::size_t(weight)] = true;
  for (std::size_t id = 0; id < size; ++id) {
    const Instruction& instruction = graph[InstructionId(id)];
    of_batch[id] = !is_shareable(instruction.opcode) && !origins.trained[id];  // parameters, infeeds, random numbers
    costly[id] = is_expensive_or_random(instruction);
    for (const InstructionId operand : instruction.operands) {
      origins.trained[id] = origins.trained[id] || origins.trained[std::size_t(operand)];
      of_batch[id] = of_batch[id] || of_batch[std::size_t(operand)];
      costly[id] = costly[id] || costly[std::size_t(operand)];
    }
  }
  std::vector<bool> used(size, false);
  used[std::size_t(network.loss)] = true;
  for (std::size_t id = size; id-- > 0;) {
    if (!used[id]) continue;
    const bool trained = origins.trained[id];
    for (const InstructionId operand : graph[InstructionId(id)].operands) used[std::size_t(operand)] = true;
    if (trained ? !of_batch[id] : !costly[id]) {
      origins.of[id] = trained ? Origin::weights : Origin::microbatch;
    } else {
      origins.of[id] = Origin::activation;
      origins.activations.push_back(InstructionId(id));
    }
  }
  std::ranges::reverse(origins.activations);
  return origins;
}

}  // namespace podsim::hlo::pipeline
