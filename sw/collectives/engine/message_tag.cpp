// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

std::uint64_t pack(const MessageTag& tag) {
  const Segment& segment = tag.segment;
  return std::uint64_t(segment.number) | std::uint64_t(segment.distance) << 20 |
         std::uint64_t(segment.direction < 0) << 40 | std::uint64_t(segment.phase) << 41 |
         std::uint64_t(segment.stripe) << 48 | std::uint64_t(tag.source) << 56 | std::uint64_t(tag.target) << 60;
}

MessageTag unpack(std::uint64_t tag) {
  return {.segment = {.stripe = int(tag >> 48 & 0xff),
                      .phase = int(tag >> 41 & 0x7f),
                      .direction = (tag >> 40 & 1) != 0 ? -1 : 1,
                      .distance = std::int32_t(tag >> 20 & 0xfffff),
                      .number = std::int32_t(tag & 0xfffff)},
          .source = int(tag >> 56 & 0xf),
          .target = int(tag >> 60)};
}

}  // namespace podsim::sw::collectives::engine
