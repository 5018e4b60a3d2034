// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// A replica stops at a time, loses what is in its memory, and comes back.
struct Outage {
  int replica = 0;
  Nanoseconds begin, end;
  bool operator==(const Outage&) const = default;
};

/// In the order of their begins; those of a replica that overlap are joined.
std::vector<Outage> joined(std::vector<Outage> outages);

/// Outages up to a time: each replica works for an exponentially distributed time of mean `between`, then it is away
/// for `repair`. InputError for more than a million of them.
std::vector<Outage> random_outages(std::int64_t replicas, base::Duration between, base::Duration repair,
                                   Nanoseconds until, std::uint64_t seed);

}  // namespace podsim::workloads::serving
