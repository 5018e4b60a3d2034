// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/spmd/partition/partitioner.h"

namespace podsim::hlo::spmd::testing {

/// A program written by hand with the shardings of its values; other values are replicated.
class ShardedProgram {
 public:
  explicit ShardedProgram(mesh::Mesh grid) : mesh(std::move(grid)), builder("program") {}

  /// Sets the sharding of a value, {"x", "", "y"}, and returns the value.
  hlo::InstructionId annotate(hlo::InstructionId id, const std::vector<std::string>& axes) {
    return set(id, {mesh::parse_axes(mesh, axes, builder.shape(id).rank())});
  }
  hlo::InstructionId set(hlo::InstructionId id, mesh::ValueSharding sharding) {
    by_name_[builder[id].name] = std::move(sharding);
    return id;
  }

  hlo::Module partitioned(hlo::InstructionId root, const partition::PartitionOptions& options = {}) && {
    whole = std::move(builder).build(root);
    for (std::size_t c = 0; c < whole.computations.size(); ++c) {
      std::vector<mesh::ValueSharding>& values = shardings.values.emplace_back();
      for (const hlo::Instruction& instruction : whole.computations[c].instructions) {
        const auto found = by_name_.find(instruction.name);
        const bool is_entry = int(c) == whole.entry && found != by_name_.end();
        values.push_back(is_entry ? found->second : mesh::replicated(instruction.shape));
      }
    }
    hlo::Module local = partition::partition(whole, mesh, shardings, options);
    build::verify(local);
    return local;
  }

  mesh::Mesh mesh;
  build::GraphBuilder builder;
  hlo::Module whole;
  propagate::ModuleShardings shardings;

 private:
  std::map<std::string, mesh::ValueSharding> by_name_;
};

}  // namespace podsim::hlo::spmd::testing
