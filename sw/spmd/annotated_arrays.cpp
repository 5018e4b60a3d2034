// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "sw/spmd/manual_values.h"

namespace podsim::sw {
namespace {

/// Why a sharding is none of an array over a mesh.
std::string problem(const Mesh& mesh, const Sharding& written, int rank) {
  if (written.kind != Sharding::Kind::tiled || written.rank() != rank) return "is for another shape";
  const std::vector<std::int64_t>& tiles = written.tiles;
  const std::int64_t devices = std::accumulate(tiles.begin(), tiles.end(), std::int64_t{1}, std::multiplies{});
  if (devices != mesh.partitions()) {
    return fmt::format("is on {} devices, the mesh {} has {}", devices, to_string(mesh), mesh.partitions());
  }
  if (std::ranges::find(written.subgroups, Sharding::Subgroup::manual) != written.subgroups.end()) {
    return "is manual along a part of the devices; a value can only be manual on all of them";
  }
  return fmt::format("has its devices in an order that no axes of the mesh {} give", to_string(mesh));
}

AxisSharding sharding_of(const ArrayTable& table, const Mesh& mesh, ArrayId array, const Sharding& written) {
  const ArrayTable::Place& place = table.place(array);
  if (place.shape->element_type == ElementType::token) return replicated(place.shape->rank());
  std::optional<AxisSharding> sharding = from_hlo(mesh, written, place.shape->rank());
  if (!sharding) {
    const Instruction& instruction = table.module().computations[std::size_t(place.computation)][place.id];
    throw base::InputError(fmt::format("the sharding {} of '{}', {}, {}", to_string(written), instruction.name,
                                       to_string(*place.shape), problem(mesh, written, place.shape->rank())));
  }
  return *std::move(sharding);
}

void annotate(const ArrayTable& table, const Mesh& mesh, ComputationId c, InstructionId id,
              std::vector<ArrayState>& states) {
  const Instruction& instruction = table.module().computations[std::size_t(c)][id];
  const Sharding& written = *instruction.sharding;
  const bool is_tuple = instruction.shape.is_tuple() && written.kind == Sharding::Kind::tuple;
  const int count = table.count(c, id);
  if (is_tuple && count > 0 && int(written.elements.size()) != count) {
    throw base::InputError(fmt::format("the sharding {} of '{}' is for {} arrays, it has {}", to_string(written),
                                       instruction.name, written.elements.size(), count));
  }
  for (int k = 0; k < count; ++k) {
    const Sharding& element = is_tuple ? written.elements[std::size_t(k)] : written;
    if (element.kind == Sharding::Kind::unknown) continue;
    const ArrayId array = table.first(c, id) + k;
    ArrayState& state = states[std::size_t(table.representative(array))];
    state.sharding = sharding_of(table, mesh, array, element);
    state.fixed = true;
    const ArrayTable::Place& place = table.place(array);
    const ShardingReason reason{ShardingReason::Kind::annotation, 0, place.computation, place.id, place.array, 0, -1};
    state.reasons.assign(std::size_t(state.sharding.manual ? 1 : place.shape->rank()), reason);
    for (std::size_t d = 0; d < state.reasons.size(); ++d) state.reasons[d].dimension = int(d);
  }
}

}  // namespace

std::vector<ArrayState> annotated_arrays(const ArrayTable& table, const Mesh& mesh) {
  std::vector<ArrayState> states(std::size_t(table.size()));
  for (ArrayId array = 0; array < table.size(); ++array) {
    if (table.representative(array) != array) continue;
    const int rank = table.place(array).shape->rank();
    states[std::size_t(array)] = {replicated(rank), false, ArrayReasons(std::size_t(rank))};
  }
  // Callers come after what they call, and have the last word.
  for (ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    const Computation& computation = table.module().computations[std::size_t(c)];
    for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      if (computation[id].sharding) annotate(table, mesh, c, id, states);
    }
  }
  return states;
}

}  // namespace podsim::sw
