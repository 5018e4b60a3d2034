// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/time_series.h"

#include <algorithm>
#include <numeric>

namespace podsim::workloads::serving {

void TimeSeries::set(Nanoseconds time, double value) {
  while (time > width_ * std::int64_t(integrals_.size())) {
    for (std::size_t i = 0; i < integrals_.size(); ++i) {
      const double pair = 2 * i + 1 < integrals_.size() ? integrals_[2 * i] + integrals_[2 * i + 1] : 0;
      integrals_[i] = pair;
    }
    width_ *= 2;
  }
  while (at_ < time) {
    const std::int64_t bin = at_ / width_;
    const Nanoseconds end = std::min(time, width_ * (bin + 1));
    integrals_[std::size_t(bin)] += value_ * double((end - at_).value());
    at_ = end;
  }
  value_ = value;
  most_ = std::max(most_, value);
}

std::vector<double> TimeSeries::means() const {
  std::vector<double> means;
  for (std::int64_t bin = 0; width_ * bin < at_; ++bin) {
    const Nanoseconds length = std::min(at_ - width_ * bin, width_);
    means.push_back(integrals_[std::size_t(bin)] / double(length.value()));
  }
  return means;
}

double TimeSeries::mean() const {
  if (at_ == Nanoseconds(0)) return 0;
  return std::accumulate(integrals_.begin(), integrals_.end(), 0.0) / double(at_.value());
}

}  // namespace podsim::workloads::serving
