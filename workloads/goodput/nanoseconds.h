// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/units.h"

namespace podsim::workloads::goodput {

/// Time of jobs that run for months, counted so that shares of it add up exactly: base::Time ends after 106 days,
/// this after 292 years.
using Nanoseconds = base::Count<struct NanosecondsTag>;

constexpr double seconds(Nanoseconds time) { return double(time.value()) * 1e-9; }
/// Rounds to the nearest nanosecond.
inline Nanoseconds nanoseconds(base::Duration duration) { return Nanoseconds(std::llround(duration.si() * 1e9)); }

}  // namespace podsim::workloads::goodput
