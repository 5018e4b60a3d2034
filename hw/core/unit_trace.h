// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>

#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// Traces the states of a unit as a text `state` and a wire `busy` under the unit's scope. A unit announces its states
/// in advance, and this module wakes at each of them. It exists only if one of the signals is recorded.
class UnitTrace : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(UnitTrace);
  struct Change {
    base::Cycles cycle;
    const char* state;
  };

  /// Null if neither signal is recorded.
  static std::unique_ptr<UnitTrace> make(const char* name, const CoreTime& time, const Trace& trace);
  UnitTrace(sc_core::sc_module_name name, const CoreTime& time, base::trace::Probe<std::string> state,
            base::trace::Probe<bool> busy);

  /// Shows states, in order of their cycles, none in the past. After the last one the unit is idle from cycle `idle`.
  void show(std::initializer_list<Change> states, base::Cycles idle);

 private:
  void next();

  const CoreTime& time_;
  base::trace::Probe<std::string> state_;
  base::trace::Probe<bool> busy_;
  std::deque<Change> changes_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::core
