// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sw/collectives/collective_kind.h"

namespace podsim::sw::collectives {

/// How a group works together. All but `direct` go dimension by dimension, the last first (Y then X), each next one on
/// what the one before has left: of a reduction the shard, of an all-to-all the blocks that have come so far.
enum class Algorithm : std::uint8_t {
  y_then_x,      ///< rings where a dimension is closed, lines where it is open
  two_colour,    ///< the same, half of the payload in this order of dimensions, half in the opposite one
  rotated,       ///< the same, with as many parts as dimensions, each part beginning with another one: what two colours
                 ///< are to two dimensions, to more of them
  ring,          ///< rings of both directions on every dimension; an open one is closed by a message all the way back
  one_way_ring,  ///< rings of one direction, whole chunks, one core per chip: the textbook's algorithm
  line,          ///< lines on every dimension
  direct,        ///< every rank sends to every other
};

inline constexpr std::array algorithms{Algorithm::y_then_x, Algorithm::two_colour,   Algorithm::rotated,
                                       Algorithm::ring,     Algorithm::one_way_ring, Algorithm::line,
                                       Algorithm::direct};

constexpr std::string_view to_string(Algorithm algorithm) {
  constexpr std::array names{"y-then-x", "two-colour", "rotated", "ring", "one-way-ring", "line", "direct"};
  return names[std::size_t(algorithm)];
}

/// Those that can do a kind.
std::vector<Algorithm> algorithms_for(CollectiveKind kind);
/// Those of them that differ on a slice: rotated orders need three dimensions.
std::vector<Algorithm> algorithms_for(CollectiveKind kind, int dimensions);

}  // namespace podsim::sw::collectives
