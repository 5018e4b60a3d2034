// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/sliced_run.h"

#include <sysc/kernel/sc_kernel_ids.h>

#include <algorithm>
#include <chrono>
#include <systemc>

#include "base/host/interrupt.h"
#include "base/systemc/own_stack.h"

namespace podsim::base::systemc {

void run_in_slices(const std::function<bool()>& stop) {
  using HostClock = std::chrono::steady_clock;
  const sc_core::sc_time shortest(1, sc_core::SC_NS), longest(1000, sc_core::SC_SEC);
  sc_core::sc_time slice = shortest;
  // A long slice of few events may lead into many.
  const host::AtInterrupt pause(sc_core::sc_pause);
  // A slice may contain only cancelled notifications.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  do {
    const HostClock::time_point begin = HostClock::now();
    // The next event may be further away than the longest slice, at the end of skipped trips. Before the first slice
    // none is known.
    const bool known = sc_core::sc_pending_activity();
    sc_core::sc_start(known ? std::max(slice, sc_core::sc_time_to_pending_activity()) : slice,
                      sc_core::SC_EXIT_ON_STARVATION);
    back_on_own_stack();
    const HostClock::duration spent = HostClock::now() - begin;
    if (spent < std::chrono::milliseconds(20) && slice < longest) slice *= 2;
    if (spent > std::chrono::milliseconds(80) && slice > shortest) slice /= 2;
    // The simulation may have stopped itself.
  } while (sc_core::sc_get_status() == sc_core::SC_PAUSED && !stop() && sc_core::sc_pending_activity());
}

}  // namespace podsim::base::systemc
