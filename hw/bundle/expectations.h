// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/bundle/bundle_run.h"

namespace podsim::hw::bundle {

/// Compares an expectation with the words found in memory. Returns std::nullopt if they match.
std::optional<FailedExpectation> check_expectation(const isa::Expectation& expectation,
                                                   const std::vector<std::uint32_t>& found);

}  // namespace podsim::hw::bundle
