// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace podsim::workloads::serving {
namespace {

constexpr int mantissa_bits = 7;
constexpr std::uint64_t mantissas = 1U << mantissa_bits;

std::size_t bin_of(std::uint64_t value) {
  if (value < mantissas) return std::size_t(value);
  const int shift = int(std::bit_width(value)) - 1 - mantissa_bits;
  return std::size_t((std::uint64_t(shift) << mantissa_bits) + (value >> shift));
}

/// The largest value of a bin.
std::uint64_t end_of(std::size_t bin) {
  if (bin < mantissas) return bin;
  const std::uint64_t shift = (bin >> mantissa_bits) - 1;
  return ((bin - (shift << mantissa_bits) + 1) << shift) - 1;
}

}  // namespace

void LatencyHistogram::add(Nanoseconds time) {
  const std::size_t bin = bin_of(std::uint64_t(time.value()));
  if (bin >= bins_.size()) bins_.resize(bin + 1);
  ++bins_[bin];
  ++count_;
  sum_ += goodput::seconds(time);
  longest_ = std::max(longest_, time);
}

double LatencyHistogram::quantile(double share) const {
  const auto rank = std::max<std::int64_t>(1, std::int64_t(std::ceil(share * double(count_))));
  std::int64_t below = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    below += bins_[bin];
    if (below >= rank) return goodput::seconds(std::min(Nanoseconds(std::int64_t(end_of(bin))), longest_));
  }
  return 0;
}

}  // namespace podsim::workloads::serving
