// SPDX-License-Identifier: Apache-2.0
#include "hw/core/sync_flags.h"

#include <cassert>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::core {

SyncFlags::SyncFlags(sc_core::sc_module_name name, std::int64_t count, const Trace& trace)
    : sc_module(name), values_(std::size_t(count), 0), trace_(trace) {
  from_sequencer.bind(*this);
}

void SyncFlags::set(std::size_t flag, std::int64_t value) {
  values_[flag] = value;
  if (!probes_.empty()) {
    if (const auto probe = probes_.find(flag); probe != probes_.end()) probe->second.set(base::systemc::now(), value);
  }
  if (awaited_ && awaited_flag_ == flag && value >= awaited_value_) {
    awaited_ = false;
    reached_.notify();
  }
}

const sc_core::sc_event& SyncFlags::reaches(std::size_t flag, std::int64_t value) {
  assert(!at_least(flag, value));
  awaited_ = true;
  awaited_flag_ = flag;
  awaited_value_ = value;
  return reached_;
}

void SyncFlags::show_as(std::size_t flag, const char* name) {
  auto probe = trace_.probe<std::int64_t>(name);
  if (!probe.active()) return;
  probe.set(base::systemc::now(), values_[flag]);
  probes_.emplace(flag, std::move(probe));
}

}  // namespace podsim::hw::core
