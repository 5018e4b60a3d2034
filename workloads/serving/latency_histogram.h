// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// Counts times in bins, 128 for each power of two, so that a quantile is at most 1/128 above the exact one. The mean
/// is exact.
class LatencyHistogram {
 public:
  void add(Nanoseconds time);

  std::int64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / double(count_); }  ///< seconds; 0 without times
  /// The end of the bin with the time that a share of all do not exceed, at most the longest; seconds.
  double quantile(double share) const;

 private:
  std::vector<std::int64_t> bins_;
  std::int64_t count_ = 0;
  double sum_ = 0;
  Nanoseconds longest_;
};

}  // namespace podsim::workloads::serving
