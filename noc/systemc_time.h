// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/units.h"

/// Between SystemC's time and ours, exactly: both count picoseconds at SystemC's default resolution.
namespace podsim::noc {

inline base::Time now() { return base::Time(std::int64_t(sc_core::sc_time_stamp().value())); }
inline sc_core::sc_time to_sc_time(base::Time time) {
  return sc_core::sc_time::from_value(std::uint64_t(time.value()));
}
inline base::Time from_sc_time(const sc_core::sc_time& time) { return base::Time(std::int64_t(time.value())); }

}  // namespace podsim::noc
