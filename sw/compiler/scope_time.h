// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/units.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Returns whether an op_name is a scope or inside it: "optimizer/layer0" is within "optimizer".
bool is_within(std::string_view op_name, std::string_view scope);

/// Time of the ops of a scope one after another, by the tile level's recurrence; ops in a loop count once. Costs come
/// from `cache` if it has them.
base::Time time_under(const Program& program, const TargetMachine& machine, std::string_view scope,
                      OpCache* cache = nullptr);

/// Time of all ops of a step one after another, trips of loops multiplied; of branches that different cores take, all.
base::Time time_of_ops(const Program& program, const TargetMachine& machine, OpCache* cache = nullptr);

}  // namespace podsim::sw::compiler
