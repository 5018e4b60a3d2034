// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>

#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Shows the states that a unit goes through: a text `state` and a wire `busy` under the unit's scope. A unit knows its
/// states ahead; this module wakes at each of them. It exists only when someone looks.
class UnitTrace : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(UnitTrace);
  struct Change {
    base::Cycles cycle;
    const char* state;
  };

  /// Nothing when neither signal is wanted.
  static std::unique_ptr<UnitTrace> make(const char* name, const CoreTime& time, const Trace& trace);
  UnitTrace(sc_core::sc_module_name name, const CoreTime& time, base::Probe<std::string> state, base::Probe<bool> busy);

  /// States in the order of their cycles, none before the present; after the last one the unit is idle.
  void show(std::initializer_list<Change> states, base::Cycles idle);

 private:
  void next();

  const CoreTime& time_;
  base::Probe<std::string> state_;
  base::Probe<bool> busy_;
  std::deque<Change> changes_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
