// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace podsim::sw::collectives {

/// What a collective does to the arrays of the ranks of a group; the payload is the larger of a rank's operand and
/// result.
enum class CollectiveKind : std::uint8_t {
  all_reduce,          ///< every rank ends with the sum
  reduce_scatter,      ///< rank i of the group ends with block i of the sum
  all_gather,          ///< every rank ends with the blocks of all, in the order of the group
  all_to_all,          ///< block j of rank i becomes block i of rank j
  collective_permute,  ///< a rank's array goes to another rank
  broadcast,           ///< every rank ends with the array of the group's first rank
};

inline constexpr std::array collective_kinds{CollectiveKind::all_reduce,         CollectiveKind::reduce_scatter,
                                             CollectiveKind::all_gather,         CollectiveKind::all_to_all,
                                             CollectiveKind::collective_permute, CollectiveKind::broadcast};

/// HLO's name: "all-reduce".
constexpr std::string_view to_string(CollectiveKind kind) {
  constexpr std::array names{"all-reduce", "reduce-scatter",     "all-gather",
                             "all-to-all", "collective-permute", "broadcast"};
  return names[std::size_t(kind)];
}

constexpr bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

}  // namespace podsim::sw::collectives
