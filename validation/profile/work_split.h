// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::validation::profile {

/// One of the arrays that element-wise operations of an op may run over.
struct WorkSide {
  double elements = 0;
  std::int64_t expected = 0;  ///< operations that its operands and results require
};

/// Returns a whole number of operations per element of each side, with a sum close to `operations`. It prefers
/// solutions close to the expected numbers. At most three sides.
std::vector<std::int64_t> split_work(double operations, const std::vector<WorkSide>& sides);

}  // namespace podsim::validation::profile
