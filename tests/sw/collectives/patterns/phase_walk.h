// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sw/collectives/patterns/pattern.h"

/// Walks a phase message by message, as its members do, and adds up the bytes over every link.
namespace podsim::sw::collectives::patterns {

/// Sizes and chunks that every pattern is tested with.
inline constexpr std::int32_t max_positions = 33;
inline constexpr std::array<std::int64_t, 6> chunk_sizes{1, 2, 3, 8, 25, 120};

inline LogicalDimension open(std::int32_t size) { return {.physical = 0, .size = size, .stride = 1, .closed = false}; }
inline LogicalDimension closed(std::int32_t size) { return {.physical = 0, .size = size, .stride = 1, .closed = true}; }

/// A message from `sender` to `receiver`, the `hop`-th of its flow.
struct Message {
  Segment segment;  ///< as the receiver gets it
  std::int32_t sender, receiver, hop;
  bool first() const { return hop == 1; }
};

struct PhaseWalk {
  std::int32_t steps = 0;                             ///< messages that depend on each other, at most
  std::vector<std::array<std::int64_t, 2>> sent;      ///< elements by position, in positive and in negative direction
  std::vector<std::array<std::int64_t, 2>> messages;  ///< their number
  std::vector<std::int64_t> ended;                    ///< segments that end at a position
};

/// Every flow that starts at one of the positions, from its first message to its last; calls `see` for each message.
template <class See>
PhaseWalk walk(const Pattern& pattern, const std::vector<std::int32_t>& starts, See see) {
  PhaseWalk result;
  const auto positions = std::size_t(pattern.positions());
  result.sent.resize(positions);
  result.messages.resize(positions);
  result.ended.resize(positions);
  for (std::int32_t start : starts) {
    for (std::int32_t i = 0; i < pattern.origins(start); ++i) {
      Segment segment = pattern.origin(start, i);
      const std::int32_t segments = pattern.segments(segment.direction);
      for (std::int32_t number = 0; number < segments; ++number) {
        segment = pattern.origin(start, i);
        segment.number = number;
        Message message{segment, start, pattern.next(segment, start), 1};
        for (;;) {
          const auto sender = std::size_t(message.sender), receiver = std::size_t(message.receiver);
          const std::size_t direction = message.segment.direction < 0;
          result.steps = std::max(result.steps, message.hop);
          result.sent[sender][direction] += pattern.elements(message.segment, message.receiver);
          ++result.messages[sender][direction];
          if (pattern.ends_here(message.segment, message.receiver)) ++result.ended[receiver];
          see(message);
          const auto onward = pattern.onward(message.segment, message.receiver);
          if (!onward) break;
          message = {*onward, message.receiver, pattern.next(*onward, message.receiver), message.hop + 1};
        }
      }
    }
  }
  return result;
}

inline std::vector<std::int32_t> all_positions(const Pattern& pattern) {
  std::vector<std::int32_t> result;
  for (std::int32_t position = 0; position < pattern.positions(); ++position) result.push_back(position);
  return result;
}

template <class See>
PhaseWalk walk(const Pattern& pattern, See see) {
  return walk(pattern, all_positions(pattern), see);
}

inline PhaseWalk walk(const Pattern& pattern) {
  return walk(pattern, [](const Message&) {});
}

/// Costs of links that carry `rate` elements a second, without latency.
inline LinkCosts without_latency(double rate) {
  return {.rate = base::Bandwidth(rate),
          .hop_latency = base::Duration(0),
          .dma_latency = base::Duration(0),
          .hbm_rate = base::Bandwidth(1e30)};
}

}  // namespace podsim::sw::collectives::patterns
