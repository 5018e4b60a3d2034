// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/manual_border.h"

#include <algorithm>

namespace podsim::hlo::spmd::mesh {

std::optional<ManualBorder> manual_border(const Mesh& mesh, const hlo::Computation& computation,
                                          hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation[id];
  if (instruction.opcode != hlo::Opcode::custom_call || instruction.operands.empty()) return std::nullopt;
  const bool enters = instruction.target == "SPMDFullToShardShape";
  if (!enters && instruction.target != "SPMDShardToFullShape") return std::nullopt;
  const hlo::Instruction& shard = enters ? instruction : computation[instruction.operands[0]];
  if (!shard.sharding) return std::nullopt;
  SubAxes axes = manual_sub_axes(mesh, *shard.sharding);
  return axes.empty() ? std::nullopt : std::optional(ManualBorder{enters, std::move(axes)});
}

SubAxes without(const SubAxes& sub_axes, const SubAxes& excluded) {
  SubAxes result;
  std::ranges::copy_if(sub_axes, std::back_inserter(result),
                       [&](SubAxis sub_axis) { return std::ranges::count(excluded, sub_axis) == 0; });
  return result;
}

SubAxes within(const SubAxes& sub_axes, const SubAxes& included) {
  SubAxes result;
  std::ranges::copy_if(sub_axes, std::back_inserter(result),
                       [&](SubAxis sub_axis) { return std::ranges::count(included, sub_axis) > 0; });
  return result;
}

}  // namespace podsim::hlo::spmd::mesh
