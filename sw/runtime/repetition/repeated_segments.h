// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/compiler/program.h"

namespace podsim::sw::runtime::repetition {

/// Items [first, first + trips * period) of a program that are the same every `period` items, such as the layers of a
/// network: equal ops and collectives of the same cores, in the same order.
struct RepeatedSegment {
  int first = 0, period = 0, trips = 0;
  int content = 0;  ///< the same for segments of the same items
  int end() const { return first + trips * period; }
  bool operator==(const RepeatedSegment&) const = default;
};

/// Equal numbers for equal items of a program; a negative number, of its own, for an item that may not repeat:
/// asynchronous items, those of loops, infeeds and outfeeds.
std::vector<int> numbered_items(const compiler::Program& program);

/// Segments of more than four trips with a collective in each, in the order of the program; none overlaps another one.
/// Where several are possible, the one is taken of which most items come after the first four trips. Asynchronous
/// items, those of loops, infeeds and outfeeds are in none, and a layer has at most 4096 items.
std::vector<RepeatedSegment> repeated_segments(const compiler::Program& program);

}  // namespace podsim::sw::runtime::repetition
