// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/propagate/classed_program.h"
#include "sw/plans/sharding_plan.h"

namespace podsim::sw::plans {

/// A plan as a sharding file: a rule for every parameter of the entry computation and for every result of a product that
/// is not kept, whole ones as well. Values whose names differ only in numbers share a rule, a glob, if all that the glob
/// matches are divided alike; others have a rule with their own name, but for those of op_name "gradients/...", which
/// follow from the network's values.
hlo::spmd::mesh::ShardingFile sharding_file(const ShardingPlan& plan, const hlo::Module& module,
                                            const hlo::spmd::propagate::ClassedProgram& program);

/// The name of a class for readers: "layer*/ffn/w_in[1]", the first of its dimensions.
std::string class_name(const hlo::Module& module, const hlo::spmd::propagate::DimensionClass& of);

}  // namespace podsim::sw::plans
