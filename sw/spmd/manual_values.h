// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/spmd/array_table.h"

namespace podsim::sw {

/// What is said of an array before anything is propagated.
struct ArrayState {
  AxisSharding sharding;
  bool fixed = false;  ///< annotated or manual
  ArrayReasons reasons;
};

/// Annotations as the states of arrays that stand for those that agree. InputError naming the instruction whose
/// annotation does not fit the mesh or its shape.
std::vector<ArrayState> annotated_arrays(const ArrayTable& table, const Mesh& mesh);

/// Makes manual what is computed from manual values, in `states` of representatives.
void spread_manual(const ArrayTable& table, const Mesh& mesh, std::vector<ArrayState>& states);

}  // namespace podsim::sw
