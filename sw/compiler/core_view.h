// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler {

/// What one core executes of an entry computation whose branches depend on the device number.
struct CoreView {
  std::int32_t core = 0;                        ///< flat id
  std::map<hlo::InstructionId, int> branch_of;  ///< the branch that it takes of each conditional
};

/// A view for the first of the cores that take the same branches in the entry. Empty if all cores take the same, or
/// branches depend on data.
std::vector<CoreView> core_views(const hlo::Module& module);

/// How a branch uses the elements of its only parameter, a tuple.
struct BranchUse {
  static constexpr int makes = -1, leaves = -2;
  std::vector<bool> reads;  ///< by element: whether it is read, and not only passed on
  std::vector<int>
      results;  ///< by result: the element that is passed on; or `makes`, or `leaves` for a buffer as it is
};
BranchUse use_of_branch(const hlo::Computation& branch);

}  // namespace podsim::sw::compiler
