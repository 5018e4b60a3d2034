// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

/// The messages of a collective. A flow is the data that travel in one direction from one origin within a phase; a
/// segment is the part of a flow that is sent as one message.
namespace podsim::sw::collectives {

/// A segment as it arrives at a member. Around rings `distance` is relative to the receiving position, so that a
/// segment means the same at every position of a folded dimension.
struct Segment {
  int stripe = 0;
  int phase = 0;
  int direction = 1;          ///< of travel along the phase's dimension: +1 or -1
  std::int32_t distance = 0;  ///< identifies the flow; its meaning is that of the phase's pattern
  std::int32_t number = 0;    ///< of the segment within its flow
  bool operator==(const Segment&) const = default;
};

/// Elements [begin, begin + count).
struct ElementRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  bool operator==(const ElementRange&) const = default;
};

/// Lengths of messages, in elements.
struct SegmentLengths {
  std::int64_t link = 1;  ///< carried by a link during one remote-DMA latency; length of broadcasts and exchanges
  std::int64_t most = 1;  ///< largest message that the buffers of a core hold
};

/// A flow divided into segments. All have the same length but the last, which has the rest. One more element therefore
/// lengthens segments or adds one, and no segment gets shorter: a flow that grows is never faster for being divided
/// more finely, as it would be in equal parts.
struct Cut {
  std::int64_t length = 1;    ///< elements of a segment
  std::int32_t segments = 0;  ///< 0 where nothing flows

  /// `elements` in `wanted` segments, or in as many more or fewer as have `shortest` to `longest` elements each.
  static Cut of(std::int64_t elements, std::int64_t wanted, std::int64_t shortest, std::int64_t longest) {
    if (elements == 0) return {};
    const std::int64_t length = std::min(std::max(base::divide_round_up(elements, wanted), shortest), longest);
    return {length, std::int32_t(base::divide_round_up(elements, length))};
  }
  /// The elements of segment `i` of a flow of `elements`.
  ElementRange range(std::int64_t elements, std::int32_t i) const {
    const std::int64_t begin = std::min(i * length, elements);
    return {begin, std::min(length, elements - begin)};
  }
};

}  // namespace podsim::sw::collectives
