// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hlo/graph.h"
#include "sw/codegen/fusion/space.h"

namespace podsim::sw::codegen::fusion {

/// A loop over a space: the values that it computes for every register, and the reductions of such values.
struct Sweep {
  Space space;
  std::vector<int> results = {};                       ///< by number (results_of())
  std::vector<hlo::InstructionId> kept = {};           ///< values that later sweeps read
  std::vector<hlo::InstructionId> reductions = {};     ///< the same, of this space
  std::set<hlo::InstructionId> whole_parameters = {};  ///< parameters that have the registers of the space
  std::set<hlo::InstructionId> other_parameters = {};  ///< parameters, or values kept before, that have not
  std::set<hlo::InstructionId> scalars = {};           ///< values of rank 0 that it reads
  std::set<std::pair<hlo::InstructionId, Axes>> columns =
      {};                          ///< arrays that are spread over registers before the loop
  std::set<int> coordinates = {};  ///< dimensions of the space whose index its code reads
  bool reduces_rows = false;       ///< values need the reduction of a whole row, so that a unit has whole rows
};

/// The sweeps of a body, in order. Instructions become code inside the sweep that needs them, as often as sweeps do.
/// These are computed once, and kept in VMEM for the sweeps that follow:
///
///   reductions, except those of a row of up to max_row_tiles registers whose sums go back into the row
///   operands of a broadcast that are computed, so that they are computed for their own elements alone
///
/// Sweeps over the same space are merged if they read an array in common and do not wait for each other. Throws NoCode.
std::vector<Sweep> sweeps_of(const hlo::Module& module);

/// Registers of the longest row that one iteration holds.
inline constexpr std::int64_t max_row_tiles = 8;

}  // namespace podsim::sw::codegen::fusion
