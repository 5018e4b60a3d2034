// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>

#include "base/timed_queue.h"
#include "base/units.h"

namespace podsim::sw::runtime::parts {

/// Calls functions at simulated times; those of one time in the order in which they were set.
class Alarms : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Alarms);
  using Function = std::function<void()>;

  explicit Alarms(sc_core::sc_module_name name);

  /// `when` is not in the past.
  void at(base::Time when, Function function);
  /// Forgets those that are left.
  void clear();

 private:
  void work();
  void wake_up();

  base::TimedQueue<Function> due_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::sw::runtime::parts
