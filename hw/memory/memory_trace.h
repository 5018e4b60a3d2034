// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/memory/channel_trace.h"
#include "hw/memory/memory_system.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Shows what the channels of a memory do, one scope per channel (ChannelTrace). Channels are stepped one after the
/// other: changes are kept until time has passed them everywhere.
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
  base::Clock clock_;
  MemorySystem& memory_;
  PendingChanges changes_;
  std::deque<ChannelTrace> channels_;
};

}  // namespace podsim::hw
