// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/trace/probe.h"
#include "noc/chip_switch/switch_timing.h"

namespace podsim::noc::chip_switch {

/// What whole transfers ask of the on-chip switch.
class SwitchTransfers : public sc_core::sc_interface {
 public:
  /// Moves `bytes` between two ports from `now` on, as soon as both are free. Calls are in order of time.
  virtual SwitchPassage pass(base::Time now, int source, int destination, base::Bytes bytes) = 0;
};

/// The on-chip switch of a chip at message level, as a module: SwitchTiming behind an export. OnChipSwitch moves single
/// packets instead.
class MessageSwitch : public sc_core::sc_module, private SwitchTransfers {
 public:
  /// Declares the signal `bytes` below `scope`: the bytes that have entered the switch so far.
  MessageSwitch(sc_core::sc_module_name name, const ici::SwitchParameters& parameters, base::Frequency clock, int ports,
                base::trace::ProbeSink* sink = nullptr, const std::string& scope = {});

  sc_core::sc_export<SwitchTransfers> transfers{"transfers"};

 private:
  SwitchPassage pass(base::Time now, int source, int destination, base::Bytes bytes) override;

  SwitchTiming timing_;
  base::Bytes entered_;
  base::trace::Probe<std::int64_t> bytes_;
};

}  // namespace podsim::noc::chip_switch
