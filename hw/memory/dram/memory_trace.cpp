// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_trace.h"

#include <fmt/format.h>

namespace podsim::hw::memory::dram {

MemoryTrace::MemoryTrace(MemorySystem& memory, const Trace& trace) : clock_(memory.clock()), memory_(memory) {
  for (int number = 0; number < memory.channels(); ++number) {
    channels_.emplace_back(memory.channel(number), memory.parameters(), trace.below(fmt::format("channel{}", number)),
                           changes_);
    memory.channel(number).observe(&channels_.back());
  }
}

MemoryTrace::~MemoryTrace() {
  for (int number = 0; number < memory_.channels(); ++number) memory_.channel(number).observe(nullptr);
}

void MemoryTrace::show_until(base::Cycles clock) {
  for (int number = 0; number < memory_.channels(); ++number) memory_.channel(number);
  changes_.show_until(clock, [&](base::Cycles change) { return clock_.time_of(change); });
}

}  // namespace podsim::hw::memory::dram
