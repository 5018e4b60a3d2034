// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// HLO's short form of a list of devices, "[4,2]T(1,0)": 0, 1, ... as an array of these sizes, its dimensions permuted.
namespace podsim::sw {

/// The list written out, row-major over the permuted array; an empty permutation leaves the dimensions as they are.
std::vector<std::int64_t> expand_iota(std::span<const std::int64_t> sizes, std::span<const int> permutation);

/// As HLO prints it: "[4,2]T(1,0)", without T where nothing is permuted.
std::string iota_text(std::span<const std::int64_t> sizes, std::span<const int> permutation);

}  // namespace podsim::sw
