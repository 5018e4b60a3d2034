// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sw/collectives/collective_kind.h"

namespace podsim::sw::collectives {

/// The algorithm of a group; values after these are algorithms that the program has registered (custom_algorithm.h), in
/// their order. All but `direct` go dimension by dimension, the last first (Y then X). Each dimension
/// works on the result of the one before: the shard of a reduction, the blocks that an all-to-all has received so far.
enum class Algorithm : std::uint8_t {
  y_then_x,    ///< rings where a dimension is closed, lines where it is open
  two_colour,  ///< as y_then_x, half of the payload in this order of dimensions, half in the opposite order
  rotated,     ///< as y_then_x, with one part per dimension, each part beginning with another dimension: two_colour for
               ///< more than two dimensions
  ring,        ///< rings of both directions on every dimension; an open one is closed by a message back along all links
  one_way_ring,  ///< rings of one direction, whole chunks, one core per chip: the textbook's algorithm
  line,          ///< lines on every dimension
  direct,        ///< every rank sends to every other
};

inline constexpr std::array built_in_algorithms{Algorithm::y_then_x, Algorithm::two_colour,   Algorithm::rotated,
                                                Algorithm::ring,     Algorithm::one_way_ring, Algorithm::line,
                                                Algorithm::direct};
/// Those and the registered ones.
std::vector<Algorithm> algorithms();

std::string_view to_string(Algorithm algorithm);

/// False for `direct`, which knows no dimensions.
constexpr bool goes_by_dimension(Algorithm algorithm) { return algorithm != Algorithm::direct; }
/// True if every core of a chip has stripes of its own.
bool uses_all_cores(Algorithm algorithm);
/// Orders of the dimensions that stripes follow at the same time.
int orders(Algorithm algorithm, int dimensions);
/// Orders that use different links at the same time: orders(), but two for `two_colour` with one dimension too.
int separate_orders(Algorithm algorithm, int dimensions);
/// The dimensions in the order in which stripes of one order visit them: the last first; then from another one, or in
/// reverse. SimulationError if a registered algorithm does not visit each dimension once.
std::vector<int> dimension_order(Algorithm algorithm, int order, int dimensions);

/// The algorithms that can do a kind of collective.
std::vector<Algorithm> algorithms_for(CollectiveKind kind);
/// Those among them that differ on a slice: rotated orders need three dimensions.
std::vector<Algorithm> algorithms_for(CollectiveKind kind, int dimensions);

}  // namespace podsim::sw::collectives
