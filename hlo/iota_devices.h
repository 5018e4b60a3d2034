// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// HLO's short form of a list of devices, "[4,2]T(1,0)": the numbers 0, 1, ... as an array of these sizes with permuted
/// dimensions.
namespace podsim::hlo {

/// Returns the list, row-major over the permuted array; an empty permutation keeps the order of the dimensions.
std::vector<std::int64_t> expand_iota(std::span<const std::int64_t> sizes, std::span<const int> permutation);

/// The form that HLO prints: "[4,2]T(1,0)", without T if there is no permutation.
std::string iota_text(std::span<const std::int64_t> sizes, std::span<const int> permutation);

}  // namespace podsim::hlo
