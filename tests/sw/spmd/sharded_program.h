// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sw/graph/graph_builder.h"
#include "sw/spmd/partitioner.h"

namespace podsim::sw::testing {

/// A program written by hand with the shardings of its values; what is not cut is replicated.
class ShardedProgram {
 public:
  explicit ShardedProgram(Mesh grid) : mesh(std::move(grid)), builder("program") {}

  /// Says how a value is cut, {"x", "", "y"}, and gives it back.
  InstructionId cut(InstructionId id, const std::vector<std::string>& axes) {
    return set(id, {parse_axes(mesh, axes, builder.shape(id).rank())});
  }
  InstructionId set(InstructionId id, ValueSharding sharding) {
    by_name_[builder[id].name] = std::move(sharding);
    return id;
  }

  Module partitioned(InstructionId root, const PartitionOptions& options = {}) && {
    whole = std::move(builder).build(root);
    for (std::size_t c = 0; c < whole.computations.size(); ++c) {
      std::vector<ValueSharding>& values = shardings.values.emplace_back();
      for (const Instruction& instruction : whole.computations[c].instructions) {
        const auto found = by_name_.find(instruction.name);
        const bool is_entry = int(c) == whole.entry && found != by_name_.end();
        values.push_back(is_entry ? found->second : replicated(instruction.shape));
      }
    }
    Module local = partition(whole, mesh, shardings, options);
    verify(local);
    return local;
  }

  Mesh mesh;
  GraphBuilder builder;
  Module whole;
  ModuleShardings shardings;

 private:
  std::map<std::string, ValueSharding> by_name_;
};

}  // namespace podsim::sw::testing
