// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/collectives/segment.h"

namespace podsim::sw::collectives::engine {

/// A segment as the tag of a message, with the cores of their chips that send and receive it.
struct MessageTag {
  Segment segment;
  int source = 0;
  int target = 0;
  bool operator==(const MessageTag&) const = default;
};

/// The tag as the 64 bits that a message carries: 20 bits each of number and distance, 7 of phase, 8 of stripe, 4 of
/// each core.
std::uint64_t pack(const MessageTag& tag);
MessageTag unpack(std::uint64_t tag);

}  // namespace podsim::sw::collectives::engine
