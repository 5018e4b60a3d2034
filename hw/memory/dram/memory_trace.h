// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/memory/dram/channel_trace.h"
#include "hw/memory/dram/memory_system.h"
#include "hw/trace.h"

namespace podsim::hw::memory::dram {

/// Traces the channels of a memory, in one scope per channel (ChannelTrace). Channels are advanced one after the other,
/// so changes are kept until time has passed them in every channel.
class MemoryTrace {
 public:
  /// Observes the channels of `memory`, which must outlive the trace.
  MemoryTrace(MemorySystem& memory, const Trace& trace);
  ~MemoryTrace();
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  /// Writes the changes before `clock`, up to which the memory has decided everything.
  void show_until(base::Cycles clock);

 private:
  base::Clock clock_;
  MemorySystem& memory_;
  PendingChanges changes_;
  std::deque<ChannelTrace> channels_;
};

}  // namespace podsim::hw::memory::dram
