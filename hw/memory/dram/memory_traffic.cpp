// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/host/interrupt.h"
#include "hw/memory/dram/granule_issuer.h"
#include "hw/memory/dram/memory_trace.h"

namespace podsim::hw::memory::dram {
namespace {

class MemoryTraffic {
 public:
  MemoryTraffic(const parts::hbm::DramParameters& parameters, std::span<const MemoryStream> streams,
                std::int64_t outstanding, const Trace& trace, const MemoryTrafficWatch& watch)
      : issuer_(parameters, int(streams.size()), outstanding), watch_(watch) {
    if (trace.sink != nullptr) channels_.emplace(issuer_.memory(), trace);
    issuer_.on_advance([this](base::Cycles clock) { advanced(clock); });
    for (std::size_t i = 0; i < streams.size(); ++i) {
      issuer_.submit(int(i), streams[i], base::Cycles(0), i);
      to_move_ += streams[i].bytes();
    }
  }

  MemoryTrafficResult run() {
    std::vector<GranuleIssuer::Completion> completed;
    try {
      while (!issuer_.idle()) issuer_.advance(base::Cycles(std::numeric_limits<std::int64_t>::max()), completed);
    } catch (base::host::Interrupted& interruption) {
      interruption.locate(fmt::format("in clock {} of the memory, with {} of {} moved", issuer_.now().value(),
                                      base::to_string(moved()), base::to_string(to_move_)));
      if (watch_.partial != nullptr) *watch_.partial = result();
      throw;
    }
    return result();
  }

 private:
  base::Bytes moved() const { return issuer_.moved()[0] + issuer_.moved()[1]; }

  void advanced(base::Cycles clock) {
    if (channels_) channels_->show_until(clock);
    if (watch_.progress) watch_.progress(double(moved().value()) / double(to_move_.value()));
    base::host::end_if_interrupted();
  }

  MemoryTrafficResult result() {
    MemoryTrafficResult result;
    result.bytes = issuer_.moved();
    result.clocks = issuer_.now();
    if (channels_) channels_->show_until(result.clocks + base::Cycles(1));
    result.latencies = issuer_.latencies();
    std::ranges::sort(result.latencies);
    MemorySystem& memory = issuer_.memory();
    result.shares = memory.shares();
    result.bursts = memory.bursts();
    result.activates = memory.activates();
    result.refreshes = memory.refreshes();
    return result;
  }

  GranuleIssuer issuer_;
  const MemoryTrafficWatch& watch_;
  std::optional<MemoryTrace> channels_;
  base::Bytes to_move_;
};

}  // namespace

MemoryTrafficResult run_memory_traffic(const parts::hbm::DramParameters& parameters,
                                       std::span<const MemoryStream> streams, std::int64_t outstanding,
                                       const Trace& trace, const MemoryTrafficWatch& watch) {
  return MemoryTraffic(parameters, streams, outstanding, trace, watch).run();
}

}  // namespace podsim::hw::memory::dram
