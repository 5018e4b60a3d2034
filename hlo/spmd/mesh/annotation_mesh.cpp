// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/annotation_mesh.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "hlo/rules/instruction_error.h"
#include "hlo/spmd/mesh/device_order.h"

namespace podsim::hlo::spmd::mesh {
namespace {

class GridCollector {
 public:
  explicit GridCollector(std::int64_t partitions) : partitions_(partitions) {}

  void add(const hlo::Instruction& instruction) {
    if (instruction.sharding && seen_.insert(instruction.sharding.get()).second) {
      add(instruction, *instruction.sharding);
    }
  }

  Mesh mesh() const { return Mesh::refining(partitions_, std::vector(grids_.begin(), grids_.end())); }

 private:
  void add(const hlo::Instruction& instruction, const hlo::Sharding& sharding) {
    for (const hlo::Sharding& element : sharding.elements) add(instruction, element);
    if (sharding.kind != hlo::Sharding::Kind::tiled) return;
    // A part of the devices that is manual has sub-axes of its own.
    const bool has_manual = std::ranges::count(sharding.subgroups, hlo::Sharding::Subgroup::manual) > 0;
    const std::optional<TileDigits> digits = tile_digits(has_manual ? without_subgroups(sharding) : sharding);
    if (!digits) fail(instruction, sharding, "has its devices in an order that no grid gives");
    std::int64_t devices = 1;
    for (const std::int64_t size : sharding.tiles) devices *= size;
    if (devices != partitions_) fail(instruction, sharding, fmt::format("is not over all {} partitions", partitions_));
    grids_.insert(grid(*digits));
  }

  [[noreturn]] static void fail(const hlo::Instruction& instruction, const hlo::Sharding& sharding,
                                std::string_view why) {
    throw rules::InstructionError(
        instruction.name, fmt::format("the sharding of %{}, {}, {}", instruction.name, hlo::to_string(sharding), why));
  }

  std::int64_t partitions_;
  std::set<const hlo::Sharding*> seen_;
  std::set<std::vector<std::int64_t>> grids_;
};

}  // namespace

Mesh annotation_mesh(const hlo::Module& module) {
  GridCollector collector(module.partitions);
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) collector.add(instruction);
  }
  return collector.mesh();
}

}  // namespace podsim::hlo::spmd::mesh
