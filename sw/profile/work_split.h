// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::sw {

/// One of the arrays that element-wise operations of an op may run over.
struct WorkSide {
  double elements = 0;
  std::int64_t expected = 0;  ///< operations that its operands and results ask for
};

/// Whole operations per element of each side that add up to `operations`, within a small error; of the many ways the
/// one closest to what is expected. At most three sides.
std::vector<std::int64_t> split_work(double operations, const std::vector<WorkSide>& sides);

}  // namespace podsim::sw
