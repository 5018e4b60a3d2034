// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::sw::codegen::families {

/// Sizes of blocks that divide `total` into 1, 2, 3, 4, 6, 8, 12, ... nearly equal blocks, the largest first. Returns
/// {1} if `total` is 0.
std::vector<std::int64_t> block_sizes(std::int64_t total);

/// All divisors of `total`, in ascending order.
std::vector<std::int64_t> divisors(std::int64_t total);
/// The largest divisor of `total` that is at most `most`; at least 1.
std::int64_t largest_divisor(std::int64_t total, std::int64_t most);

}  // namespace podsim::sw::codegen::families
