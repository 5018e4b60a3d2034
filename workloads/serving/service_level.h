// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/serving/request.h"
#include "workloads/serving/serving_outcome.h"

namespace podsim::workloads::serving {

/// The times of a request in seconds.
struct RequestTimes {
  double wait = 0;         ///< from its arrival until its first step begins
  double first_token = 0;  ///< from its arrival until its first token (TTFT)
  double per_token = 0;    ///< (finish - first token) / (tokens - 1) (TPOT); 0 for an answer of one token
  double latency = 0;      ///< from its arrival until it is finished
};
RequestTimes times_of(const Request& request, const Served& served);

/// What a user asks of a request, such as "ttft<500ms,tpot<50ms". Samples have a latency only.
struct ServiceLevel {
  std::optional<double> ttft, tpot, latency;  ///< seconds, at most

  bool met(const RequestTimes& times) const;
  bool any() const { return ttft || tpot || latency; }
  std::string text() const;
};

/// InputError that points into the text.
ServiceLevel parse_service_level(const std::string& flag, std::string_view text);

}  // namespace podsim::workloads::serving
