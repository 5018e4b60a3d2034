// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace podsim::sw::collectives {

/// The effect of a collective on the arrays of the ranks of a group. The payload is the larger of a rank's operand and
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

/// What holds for a kind. Sources of sw/collectives ask for one of these, never for a kind.
struct CollectiveTraits {
  std::string_view name;          ///< HLO's: "all-reduce"
  int passes = 0;                 ///< how many times (n - 1)/n of the payload leaves a rank: 2 for scatter and gather
  bool reduces = false;           ///< contributions are added
  bool in_blocks = false;         ///< the payload is a block per rank
  bool operand_is_block = false;  ///< a rank begins with its own block only
  bool result_is_block = false;   ///< a rank ends with its own block only
  bool personal = false;          ///< every rank has a block for every other
  bool pairwise = false;          ///< goes from one rank to one other, by pairs in place of groups
  bool rooted = false;            ///< begins at the first rank of the group
};

inline constexpr std::array all_collective_traits{
    CollectiveTraits{.name = "all-reduce", .passes = 2, .reduces = true},
    CollectiveTraits{
        .name = "reduce-scatter", .passes = 1, .reduces = true, .in_blocks = true, .result_is_block = true},
    CollectiveTraits{.name = "all-gather", .passes = 1, .in_blocks = true, .operand_is_block = true},
    CollectiveTraits{.name = "all-to-all", .passes = 1, .in_blocks = true, .personal = true},
    CollectiveTraits{.name = "collective-permute", .pairwise = true},
    CollectiveTraits{.name = "broadcast", .rooted = true}};

constexpr const CollectiveTraits& traits(CollectiveKind kind) { return all_collective_traits[std::size_t(kind)]; }

constexpr std::string_view to_string(CollectiveKind kind) { return traits(kind).name; }

}  // namespace podsim::sw::collectives
