// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "base/units.h"

/// Converts exactly between SystemC's time and base::Time. Both count picoseconds at SystemC's default resolution.
namespace podsim::base::systemc {

inline Time now() { return Time(std::int64_t(sc_core::sc_time_stamp().value())); }
inline sc_core::sc_time to_sc_time(Time time) { return sc_core::sc_time::from_value(std::uint64_t(time.value())); }
inline Time from_sc_time(const sc_core::sc_time& time) { return Time(std::int64_t(time.value())); }

}  // namespace podsim::base::systemc
