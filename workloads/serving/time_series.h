// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// Means over equal bins of time of a number that changes now and then. Bins are a millisecond long to begin with, and
/// are joined in pairs whenever there are too many.
class TimeSeries {
 public:
  explicit TimeSeries(std::size_t most_bins = 512) : integrals_(most_bins) {}

  /// The number is `value` from `time` on, which is not before the last one.
  void set(Nanoseconds time, double value);
  /// Ends the series; means are known from now on.
  void end(Nanoseconds time) { set(time, value_); }

  Nanoseconds width() const { return width_; }
  /// The mean of every bin; the last one is as long as there is time in it.
  std::vector<double> means() const;
  /// Over all of the time.
  double mean() const;
  double most() const { return most_; }

 private:
  std::vector<double> integrals_;  ///< of the number over a bin, in its unit times nanoseconds
  Nanoseconds width_{1'000'000};
  Nanoseconds at_;
  double value_ = 0, most_ = 0;
};

}  // namespace podsim::workloads::serving
