// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/shape.h"

/// What a reshape between two arrays of one type does to their elements in memory. A reshape keeps the row-major number
/// of every element.
namespace podsim::hlo {

/// True if the reshape moves nothing: every element has the same memory location in both arrays, including tiles and
/// their padding. [32,56,56,256] and [32,3136,256] in the order of the text lie alike, since 56 rows are seven whole
/// tiles; [32,7,7,256] and [32,49,256] do not, and neither do [64,1024] and [64,16,64], whose rows fill half of the
/// lanes.
bool is_renaming(const Shape& from, const Shape& to);

/// True if the elements follow each other in memory alike, apart from tiles: dimensions that are split or merged are
/// next to each other, in the order of the text. True also for a renaming.
bool keeps_order(const Shape& from, const Shape& to);

/// The order of dimensions of `to`, minor to major, for which a reshape between it and `from` in its layout keeps the
/// order of elements, and is a renaming where tiles allow it, whichever of the two is the operand; nothing if there is
/// none.
std::optional<std::vector<int>> order_for_renaming(const Shape& from, const Shape& to);

/// True if neighbours in the lanes of one array are neighbours in the lanes of the other, or begin a new row. Otherwise
/// the lanes become another dimension or a part of one, and the reshape transposes blocks.
bool keeps_lanes(const Shape& from, const Shape& to);

/// By how much the row-major number of an element differs from that of its neighbour along the dimension that is
/// `i`-th most minor in memory; 0 if there is none.
std::int64_t neighbour_distance(const Shape& shape, int i);

}  // namespace podsim::hlo
