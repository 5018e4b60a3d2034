// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/spmd/propagate/array_table.h"

namespace podsim::hlo::spmd::propagate {

/// The sharding of an array while shardings are propagated.
struct ArrayState {
  mesh::AxisSharding sharding;
  bool fixed = false;  ///< annotated, and not as open, or manual
  ArrayReasons reasons;
};

/// The annotations of a module as states of representatives. Throws base::InputError naming the instruction if an
/// annotation does not fit the mesh or its shape.
std::vector<ArrayState> annotated_arrays(const ArrayTable& table, const mesh::Mesh& mesh);

/// Marks values that are computed from manual values as manual, in the `states` of representatives.
void spread_manual(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states);

}  // namespace podsim::hlo::spmd::propagate
