// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <systemc>
#include <vector>

#include "hw/trace.h"

namespace podsim::hw::core {

/// What the sequencer asks of the sync flags.
class FlagAccess : public sc_core::sc_interface {
 public:
  virtual void set(std::size_t flag, std::int64_t value) = 0;
  virtual bool at_least(std::size_t flag, std::int64_t value) const = 0;
  /// Event that is notified when a flag that is below `value` reaches it. Replaces the event of the call before.
  virtual const sc_core::sc_event& reaches(std::size_t flag, std::int64_t value) = 0;
};

/// The sync flags of a core: counters that DMA completion increments and that the sequencer waits on (set, add, wait
/// for at least). There is one waiter at a time, since the core is in order.
class SyncFlags : public sc_core::sc_module, public FlagAccess {
 public:
  SyncFlags(sc_core::sc_module_name name, std::int64_t count, const Trace& trace);

  sc_core::sc_export<FlagAccess> from_sequencer{"from_sequencer"};

  std::int64_t count() const { return std::int64_t(values_.size()); }
  void set(std::size_t flag, std::int64_t value) override;
  void add(std::size_t flag, std::int64_t amount) { set(flag, values_[flag] + amount); }
  std::int64_t value(std::size_t flag) const { return values_[flag]; }
  bool at_least(std::size_t flag, std::int64_t value) const override { return values_[flag] >= value; }
  const sc_core::sc_event& reaches(std::size_t flag, std::int64_t value) override;
  /// Traces a flag under a name.
  void show_as(std::size_t flag, const char* name);

 private:
  std::vector<std::int64_t> values_;
  std::size_t awaited_flag_ = 0;
  std::int64_t awaited_value_ = 0;
  bool awaited_ = false;
  sc_core::sc_event reached_;
  Trace trace_;
  std::map<std::size_t, base::trace::Probe<std::int64_t>> probes_;
};

}  // namespace podsim::hw::core
