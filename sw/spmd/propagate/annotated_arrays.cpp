// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/propagate/manual_values.h.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sw/ir/rules/instruction_error.h"
#include "sw/spmd/propagate/manual_values.h"

namespace podsim::sw::spmd::propagate {
namespace {

/// The reason why a sharding is not one of an array of this rank over the mesh.
std::string problem(const mesh::Mesh& mesh, const ir::Sharding& written, int rank) {
  if (written.kind != ir::Sharding::Kind::tiled || written.rank() != rank) return "is for another shape";
  const std::vector<std::int64_t>& tiles = written.tiles;
  const std::int64_t devices = std::accumulate(tiles.begin(), tiles.end(), std::int64_t{1}, std::multiplies{});
  if (devices != mesh.partitions()) {
    return fmt::format("is on {} devices, the mesh {} has {}", devices, mesh::to_string(mesh), mesh.partitions());
  }
  if (std::ranges::find(written.subgroups, ir::Sharding::Subgroup::manual) != written.subgroups.end()) {
    return "is manual along a part of the devices; a value can only be manual on all of them";
  }
  return fmt::format("has its devices in an order that no axes of the mesh {} give", mesh::to_string(mesh));
}

mesh::AxisSharding sharding_of(const ArrayTable& table, const mesh::Mesh& mesh, ArrayId array,
                               const ir::Sharding& written) {
  const ArrayTable::Location& location = table.location(array);
  if (location.shape->element_type == ir::ElementType::token) return mesh::replicated(location.shape->rank());
  std::optional<mesh::AxisSharding> sharding = mesh::from_hlo(mesh, written, location.shape->rank());
  if (!sharding) {
    const ir::Instruction& instruction = table.module().computations[std::size_t(location.computation)][location.id];
    throw ir::rules::InstructionError(
        instruction.name, fmt::format("the sharding {} of '{}', {}, {}", ir::to_string(written), instruction.name,
                                      ir::to_string(*location.shape), problem(mesh, written, location.shape->rank())));
  }
  return *std::move(sharding);
}

void annotate(const ArrayTable& table, const mesh::Mesh& mesh, ir::ComputationId c, ir::InstructionId id,
              std::vector<ArrayState>& states) {
  const ir::Instruction& instruction = table.module().computations[std::size_t(c)][id];
  const ir::Sharding& written = *instruction.sharding;
  const bool is_tuple = instruction.shape.is_tuple() && written.kind == ir::Sharding::Kind::tuple;
  const int count = table.count(c, id);
  if (is_tuple && count > 0 && int(written.elements.size()) != count) {
    throw ir::rules::InstructionError(
        instruction.name, fmt::format("the sharding {} of '{}' is for {} arrays, it has {}", ir::to_string(written),
                                      instruction.name, written.elements.size(), count));
  }
  for (int k = 0; k < count; ++k) {
    const ArrayId array = table.first(c, id) + k;
    const ir::Sharding* element = table.annotation(array);
    if (element == nullptr) continue;
    ArrayState& state = states[std::size_t(table.representative(array))];
    state.sharding = sharding_of(table, mesh, array, *element);
    state.fixed = true;
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
  for (ir::ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    const ir::Computation& computation = table.module().computations[std::size_t(c)];
    for (ir::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      if (computation[id].sharding) annotate(table, mesh, c, id, states);
    }
  }
  return states;
}

}  // namespace podsim::sw::spmd::propagate
