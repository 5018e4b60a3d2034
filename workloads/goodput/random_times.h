// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace podsim::workloads::goodput {

/// Times between failures by Weibull's law, S(t) = exp(-(t / scale)^shape), the same with every standard library.
class RandomTimes {
 public:
  explicit RandomTimes(std::uint64_t seed) : engine_(seed) {}

  /// Between 0 and 1, neither included.
  double uniform() { return (double(engine_() >> 11) + 0.5) * 0x1p-53; }
  /// From 0 to count - 1.
  std::int64_t below(std::int64_t count) { return std::int64_t(engine_() % std::uint64_t(count)); }
  double exponential(double mean);
  /// From one failure of a part to the next. Above 1 of `shape` parts wear out, below 1 they fail early.
  double weibull(double mean, double shape);
  /// Until the first failure of a part that has been in use for long, and failed before at times that are not known.
  /// Its distribution is the integral of S over the mean, so that (t / scale)^shape has the gamma distribution of
  /// 1 / shape. A part that begins so fails once in each `mean` of any stretch of time, on average.
  double residual(double mean, double shape);
  /// Draws from the gamma distribution with this shape and scale 1, whose mean is the shape. After Marsaglia and Tsang,
  /// A simple method for generating gamma variables, 2000.
  double gamma(double shape);

 private:
  double normal();

  std::mt19937_64 engine_;
};

/// A seed for stream `stream` of a seed, after splitmix64.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream);

}  // namespace podsim::workloads::goodput
