// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/goodput/random_times.h"

namespace podsim::workloads::serving {

/// How many tokens prompts or answers have: constant, or a law through published percentiles. Between two of them the
/// logarithm of the length is linear in the share of requests that are at most so long:
///
///   log(tokens(u)) = log(a) + (log(b) - log(a)) (u - ua) / (ub - ua),   ua <= u <= ub
///
/// Below the first percentile its slope goes on, down to 1 token. Assumed: nothing is published there.
class TokenLengths {
 public:
  struct Point {
    double share;   ///< of the requests, 0 to 1
    double tokens;  ///< that are at most this long
  };

  static TokenLengths constant(std::int64_t tokens);
  /// Points in ascending order, at least two; the last has share 1, the longest.
  explicit TokenLengths(std::vector<Point> points);

  /// Tokens at a share, at least 1.
  std::int64_t at(double share) const;
  std::int64_t draw(goodput::RandomTimes& random) const { return at(random.uniform()); }
  /// The mean of the law, before lengths are rounded.
  double mean() const;
  std::int64_t longest() const;

 private:
  std::vector<Point> points_;
};

/// A published trace of requests: the law of its lengths and the burstiness of its arrivals.
struct PublishedTrace {
  std::string name;    ///< "azure_code"
  std::string source;  ///< where its percentiles come from
  TokenLengths input, output;
  double input_mean, output_mean;  ///< published, in tokens
  double rate;                     ///< published, requests per second; 0: the trace has no times
  double cv;                       ///< of its gaps; 0: not published
  double reuse;                    ///< share of the prompts' blocks that were seen before; 0: not published
};

std::span<const PublishedTrace> published_traces();

}  // namespace podsim::workloads::serving
