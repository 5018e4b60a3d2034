// SPDX-License-Identifier: Apache-2.0
#include "hw/input/service_times.h"

#include <cmath>

namespace podsim::hw::input {

namespace {

/// Spreads neighbouring numbers over all seeds (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

ServiceTimes::ServiceTimes(const Stage& stage, std::uint64_t seed, std::int64_t host, std::size_t position)
    : mean_(stage.mean),
      spread_(stage.spread),
      engine_(mixed(mixed(mixed(seed) + std::uint64_t(host)) + std::uint64_t(position))) {}

base::Time ServiceTimes::next() {
  if (spread_ == 0) return base::to_time(mean_);
  const double uniform = (double(engine_() >> 11) + 0.5) * 0x1p-53;  // between 0 and 1, neither included
  return base::to_time(mean_ * (1 - spread_ - spread_ * std::log(uniform)));
}

}  // namespace podsim::hw::input
