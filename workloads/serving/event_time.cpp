// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/event_time.h"

#include <fmt/format.h>

#include <cmath>

#include "base/diagnostic.h"

namespace podsim::workloads::serving {

Nanoseconds event_time(double seconds, const std::string& message, const std::string& hint) {
  const double most = goodput::seconds(longest_time);
  if (!(std::abs(seconds) <= most)) throw base::InputError(fmt::format("{} than {:g} s", message, most), hint);
  return goodput::nanoseconds(base::Duration(seconds));
}

}  // namespace podsim::workloads::serving
