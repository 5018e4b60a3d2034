// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/manual_values.h.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/rules/instruction_error.h"
#include "hlo/spmd/mesh/manual_border.h"
#include "hlo/spmd/propagate/manual_values.h"

namespace podsim::hlo::spmd::propagate {
namespace {

/// The reason why a sharding is not one of an array of this rank over the mesh.
std::string problem(const mesh::Mesh& mesh, const hlo::Sharding& written, int rank) {
  if (written.kind != hlo::Sharding::Kind::tiled || written.rank() != rank) return "is for another shape";
  const std::vector<std::int64_t>& tiles = written.tiles;
  const std::int64_t devices = std::accumulate(tiles.begin(), tiles.end(), std::int64_t{1}, std::multiplies{});
  if (devices != mesh.partitions()) {
    return fmt::format("is on {} devices, the mesh {} has {}", devices, mesh::to_string(mesh), mesh.partitions());
  }
  if (!mesh::manual_sub_axes(mesh, written).empty()) {
    return "is manual along a part of the devices, and no part of the program works on such shards";
  }
  return fmt::format("has its devices in an order that no axes of the mesh {} give", mesh::to_string(mesh));
}

/// True if a part of the module works on shards along a part of the mesh.
bool has_manual_border(const hlo::Module& module, const mesh::Mesh& mesh) {
  return std::ranges::any_of(module.computations, [&](const hlo::Computation& computation) {
    for (hlo::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      if (mesh::manual_border(mesh, computation, id)) return true;
    }
    return false;
  });
}

mesh::AxisSharding sharding_of(const ArrayTable& table, const mesh::Mesh& mesh, ArrayId array,
                               const hlo::Sharding& written) {
  const ArrayTable::Location& location = table.location(array);
  if (location.shape->element_type == hlo::ElementType::token) return mesh::replicated(location.shape->rank());
  std::optional<mesh::AxisSharding> sharding = mesh::from_hlo(mesh, written, location.shape->rank());
  const bool is_shard = sharding && !mesh::manual_sub_axes(mesh, written).empty();
  if (!sharding || (is_shard && !has_manual_border(table.module(), mesh))) {
    const hlo::Instruction& instruction = table.module().computations[std::size_t(location.computation)][location.id];
    throw rules::InstructionError(
        instruction.name, fmt::format("the sharding {} of '{}', {}, {}", hlo::to_string(written), instruction.name,
                                      hlo::to_string(*location.shape), problem(mesh, written, location.shape->rank())));
  }
  return *std::move(sharding);
}

void annotate(const ArrayTable& table, const mesh::Mesh& mesh, hlo::ComputationId c, hlo::InstructionId id,
              std::vector<ArrayState>& states) {
  const hlo::Instruction& instruction = table.module().computations[std::size_t(c)][id];
  const hlo::Sharding& written = *instruction.sharding;
  const bool is_tuple = instruction.shape.is_tuple() && written.kind == hlo::Sharding::Kind::tuple;
  const int count = table.count(c, id);
  if (is_tuple && count > 0 && int(written.elements.size()) != count) {
    throw rules::InstructionError(
        instruction.name, fmt::format("the sharding {} of '{}' is for {} arrays, it has {}", hlo::to_string(written),
                                      instruction.name, written.elements.size(), count));
  }
  for (int k = 0; k < count; ++k) {
    const ArrayId array = table.first(c, id) + k;
    const hlo::Sharding* element = table.annotation(array);
    if (element == nullptr) continue;
    ArrayState& state = states[std::size_t(table.representative(array))];
    state.sharding = sharding_of(table, mesh, array, *element);
    // An annotation whose dimensions are all open may be split further.
    state.fixed = instruction.opcode != hlo::Opcode::custom_call || instruction.dimensions.empty() ||
                  int(instruction.dimensions.size()) < instruction.shape.rank();
    const ArrayTable::Location& location = table.location(array);
    const ShardingReason reason{
        ShardingReason::Kind::annotation, 0, location.computation, location.id, location.array, 0, -1};
    state.reasons.assign(std::size_t(state.sharding.manual ? 1 : location.shape->rank()), reason);
    for (std::size_t d = 0; d < state.reasons.size(); ++d) state.reasons[d].dimension = int(d);
  }
}

}  // namespace

std::vector<ArrayState> annotated_arrays(const ArrayTable& table, const mesh::Mesh& mesh) {
  std::vector<ArrayState> states(std::size_t(table.size()));
  for (ArrayId array = 0; array < table.size(); ++array) {
    if (table.representative(array) != array) continue;
    const int rank = table.location(array).shape->rank();
    states[std::size_t(array)] = {mesh::replicated(rank), false, ArrayReasons(std::size_t(rank))};
  }
  // Callers come after the computations that they call, so their annotations take precedence.
  for (hlo::ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    const hlo::Computation& computation = table.module().computations[std::size_t(c)];
    for (hlo::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      if (computation[id].sharding) annotate(table, mesh, c, id, states);
    }
  }
  return states;
}

}  // namespace podsim::hlo::spmd::propagate
