// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/serving/arrivals.h"
#include "workloads/serving/request.h"
#include "workloads/serving/token_lengths.h"

namespace podsim::workloads::serving {

/// Requests that are drawn. Gaps, lengths, priorities and reuse have random numbers of their own, so that plans are
/// compared with the same requests, and a higher rate has the same ones closer together.
struct Load {
  ArrivalLaw arrivals;
  std::optional<Nanoseconds> until;           ///< requests arrive up to this time;
  std::optional<std::int64_t> requests;       ///< or so many of them
  std::optional<TokenLengths> input, output;  ///< std::nullopt: of samples, without tokens
  double urgent = 0;                          ///< share of requests with priority 1; of the others it is 0
  double reuse = 0;                           ///< mean share of a prompt that is in the cache already, in whole pages
  std::int64_t page = 128;                    ///< tokens of a page
  std::uint64_t seed = 1;
};

/// In the order of their arrivals.
std::vector<Request> requests_of(const Load& load);

/// The largest number of requests that a run holds in memory.
inline constexpr std::int64_t most_requests = 10'000'000;

}  // namespace podsim::workloads::serving
