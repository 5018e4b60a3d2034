// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/propagate/classed_program.h"
#include "sw/plans/sharding_plan.h"

namespace podsim::sw::plans {

/// Writes plans of a program as sharding files: a rule for every parameter of the entry computation and for every
/// result of a product that is not kept, whole ones as well. Values whose names differ only in numbers share a rule, a
/// glob, if all that the glob matches are divided alike; others have a rule with their own name, but for those of
/// op_name "gradients/...", which follow from the network's values.
class PlanFiles {
 public:
  /// Both outlive this.
  PlanFiles(const hlo::Module& module, const hlo::spmd::propagate::ClassedProgram& program);

  hlo::spmd::mesh::ShardingFile file(const ShardingPlan& plan) const;

 private:
  /// Values whose names differ only in numbers.
  struct Alike {
    std::string glob;
    std::vector<hlo::InstructionId> values;   ///< that get rules
    std::vector<hlo::InstructionId> matched;  ///< arrays to which a rule of the glob applies as well
    bool matches_less = false;                ///< by name, an array with fewer dimensions
  };

  bool has_rule(hlo::InstructionId id) const;
  void find_matched(Alike& alike) const;
  bool is_one_rule(const ShardingPlan& plan, const Alike& alike) const;
  hlo::spmd::mesh::ShardingRule rule(const ShardingPlan& plan, std::string pattern, hlo::InstructionId id) const;

  const hlo::Computation& entry_;
  const hlo::spmd::propagate::ClassedProgram& program_;
  std::vector<Alike> groups_;  ///< in program order
};

/// The name of a class for readers: "layer*/ffn/w_in[1]", the first of its dimensions.
std::string class_name(const hlo::Module& module, const hlo::spmd::propagate::DimensionClass& of);

}  // namespace podsim::sw::plans
