// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/expectations.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace podsim::hw::bundle {

namespace {

bool meets(std::uint32_t expected, std::uint32_t found, double tolerance) {
  if (expected == found) return true;
  if (tolerance < 0) return false;
  const double wanted = std::bit_cast<float>(expected);
  const double have = std::bit_cast<float>(found);
  if (std::isnan(wanted) || std::isnan(have)) return std::isnan(wanted) && std::isnan(have);
  if (std::isinf(wanted) || std::isinf(have)) return wanted == have;
  return std::abs(have - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
}

}  // namespace

std::optional<FailedExpectation> check_expectation(const isa::Expectation& expectation,
                                                   const std::vector<std::uint32_t>& found) {
  FailedExpectation failed;
  for (std::size_t i = 0; i < expectation.words.size(); ++i) {
    if (meets(expectation.words[i], found[i], expectation.tolerance)) continue;
    if (failed.differences++ > 0) continue;
    failed.expectation = &expectation;
    failed.first = i;
    failed.expected = expectation.words[i];
    failed.found = found[i];
  }
  if (failed.differences == 0) return std::nullopt;
  return failed;
}

}  // namespace podsim::hw::bundle
