// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// The longest time from one event to another, 31.7 years: 64 bits hold nine of them.
inline constexpr Nanoseconds longest_time{1'000'000'000'000'000'000};

/// Rounds seconds to the nearest nanosecond. InputError with this message and hint beyond longest_time.
Nanoseconds event_time(double seconds, const std::string& message, const std::string& hint);

}  // namespace podsim::workloads::serving
