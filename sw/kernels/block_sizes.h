// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::sw {

/// Sizes of blocks that cut `total` into 1, 2, 3, 4, 6, 8, 12, ... nearly equal ones, the largest first; {1} of
/// nothing.
std::vector<std::int64_t> block_sizes(std::int64_t total);

/// Numbers that divide `total`, in ascending order.
std::vector<std::int64_t> divisors(std::int64_t total);
std::int64_t largest_divisor(std::int64_t total, std::int64_t most);

}  // namespace podsim::sw
