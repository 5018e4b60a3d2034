// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/random_times.h"

#include <cmath>
#include <numbers>

namespace podsim::workloads::goodput {
namespace {

double scale_of(double mean, double shape) { return mean / std::tgamma(1 + 1 / shape); }

}  // namespace

double RandomTimes::exponential(double mean) { return -mean * std::log(uniform()); }

double RandomTimes::weibull(double mean, double shape) {
  if (shape == 1) return exponential(mean);
  return scale_of(mean, shape) * std::pow(-std::log(uniform()), 1 / shape);
}

double RandomTimes::residual(double mean, double shape) {
  if (shape == 1) return exponential(mean);
  return scale_of(mean, shape) * std::pow(gamma(1 / shape), 1 / shape);
}

double RandomTimes::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double RandomTimes::gamma(double shape) {
  if (shape < 1) return gamma(shape + 1) * std::pow(uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(), v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15U + stream + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace podsim::workloads::goodput
