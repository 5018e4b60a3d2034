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
  std::int64_t link = 1;   ///< carried by a link during one remote-DMA latency; length of broadcasts and exchanges
  std::int64_t least = 1;  ///< chunks shorter than this share a message on a line
  std::int64_t most = 1;   ///< largest message that the buffers of a core hold
};

/// The least number of segments of at most `most` elements that hold `elements`.
inline std::int32_t segments_for(std::int64_t elements, std::int64_t most) {
  return std::int32_t(base::divide_round_up(elements, most));
}

/// Elements of segment `i` of a flow. Lengths differ by one element at most, so that no short segment waits behind long
/// ones on a line.
inline ElementRange segment_range(std::int64_t elements, std::int32_t segments, std::int32_t i) {
  const std::int64_t length = elements / segments, longer = elements % segments;
  return {i * length + std::min<std::int64_t>(i, longer), length + (i < longer ? 1 : 0)};
}

}  // namespace podsim::sw::collectives
