// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hw/memory/memory_system.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Shows what the channels of a memory do, one scope per channel: the commands on its two buses, and per pseudo-channel
/// what the data pins carry, the bursts that wait in the queues, and every bank's state, "row 17", "closed", "refresh".
///
/// Channels are stepped one after the other, and data follow their command: changes are kept until time has passed them
/// everywhere.
class MemoryTrace {
 public:
  /// To be attached to one memory, which outlives it.
  MemoryTrace(MemorySystem& memory, const Trace& trace);
  ~MemoryTrace();
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  /// The memory has decided everything before `clock`.
  void show_until(base::Cycles clock);

 private:
  class Channel;
  struct Change {
    base::Cycles clock;
    base::Probe<std::string>* text = nullptr;  ///< one of the two
    base::Probe<std::int64_t>* number = nullptr;
    std::string shown;
    std::int64_t value = 0;
  };

  using Changes = std::vector<Change>;
  static bool overtaken(Changes::const_iterator change, Changes::const_iterator end);

  base::Clock clock_;
  MemorySystem& memory_;
  std::deque<Channel> channels_;
  Changes changes_;
};

}  // namespace podsim::hw
