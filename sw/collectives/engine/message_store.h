// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

/// Values of one core, or of one message.
using Values = std::vector<double>;

/// The values of messages, by a core and a segment: those in flight to a core, or those that a core passes on.
class MessageStore {
 public:
  void put(std::int32_t core, const Segment& segment, Values values) {
    [[maybe_unused]] const bool fresh =
        messages_.emplace(Key{core, pack(MessageTag{segment})}, std::move(values)).second;
    assert(fresh);
  }
  Values take(std::int32_t core, const Segment& segment) {
    auto message = messages_.extract({core, pack(MessageTag{segment})});
    assert(!message.empty());
    return std::move(message.mapped());
  }

 private:
  struct Key {
    std::int32_t core;
    std::uint64_t segment;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::size_t(key.segment * 0x9e3779b97f4a7c15ULL) ^ std::size_t(key.core);
    }
  };

  std::unordered_map<Key, Values, KeyHash> messages_;
};

}  // namespace podsim::sw::collectives::engine
