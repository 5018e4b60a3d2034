// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/block_sizes.h"

#include <algorithm>

#include "base/units.h"

namespace podsim::sw::codegen::families {

std::vector<std::int64_t> block_sizes(std::int64_t total) {
  std::vector<std::int64_t> sizes;
  const auto cut_into = [&](std::int64_t pieces) {
    const std::int64_t size = base::divide_round_up(total, pieces);
    if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
  };
  for (std::int64_t pieces = 1; pieces <= total; pieces *= 2) {
    cut_into(pieces);
    if (pieces > 1 && pieces / 2 * 3 <= total) cut_into(pieces / 2 * 3);
  }
  if (sizes.empty()) sizes.push_back(1);
  return sizes;
}

std::vector<std::int64_t> divisors(std::int64_t total) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 1; i <= total; ++i) {
    if (total % i == 0) found.push_back(i);
  }
  return found;
}

std::int64_t largest_divisor(std::int64_t total, std::int64_t most) {
  for (std::int64_t divisor = std::min(total, most); divisor > 1; --divisor) {
    if (total % divisor == 0) return divisor;
  }
  return 1;
}

}  // namespace podsim::sw::codegen::families
