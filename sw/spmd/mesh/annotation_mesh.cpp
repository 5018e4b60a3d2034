// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/mesh/annotation_mesh.h"

#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "sw/ir/rules/instruction_error.h"
#include "sw/spmd/mesh/device_order.h"

namespace podsim::sw::spmd::mesh {
namespace {

class GridCollector {
 public:
  explicit GridCollector(std::int64_t partitions) : partitions_(partitions) {}

  void add(const ir::Instruction& instruction) {
    if (instruction.sharding && seen_.insert(instruction.sharding.get()).second) {
      add(instruction, *instruction.sharding);
    }
  }

  Mesh mesh() const { return Mesh::refining(partitions_, std::vector(grids_.begin(), grids_.end())); }

 private:
  void add(const ir::Instruction& instruction, const ir::Sharding& sharding) {
    for (const ir::Sharding& element : sharding.elements) add(instruction, element);
    if (sharding.kind != ir::Sharding::Kind::tiled) return;
    const std::optional<TileDigits> digits = tile_digits(sharding);
    if (!digits) fail(instruction, sharding, "has its devices in an order that no grid gives");
    std::int64_t devices = 1;
    for (const std::int64_t size : sharding.tiles) devices *= size;
    if (devices != partitions_) fail(instruction, sharding, fmt::format("is not over all {} partitions", partitions_));
    grids_.insert(grid(*digits));
  }

  [[noreturn]] static void fail(const ir::Instruction& instruction, const ir::Sharding& sharding,
                                std::string_view why) {
    throw ir::rules::InstructionError(
        instruction.name, fmt::format("the sharding of %{}, {}, {}", instruction.name, ir::to_string(sharding), why));
  }

  std::int64_t partitions_;
  std::set<const ir::Sharding*> seen_;
  std::set<std::vector<std::int64_t>> grids_;
};

}  // namespace

Mesh annotation_mesh(const ir::Module& module) {
  GridCollector collector(module.partitions);
  for (const ir::Computation& computation : module.computations) {
    for (const ir::Instruction& instruction : computation.instructions) collector.add(instruction);
  }
  return collector.mesh();
}

}  // namespace podsim::sw::spmd::mesh
