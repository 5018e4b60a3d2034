// SPDX-License-Identifier: Apache-2.0
// What random delays and speeds of chips cost steps that all cores end together, against the law of extremes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>

#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::session {
namespace {

const sw::TargetMachine& straggling_machine() {
  static const sw::TargetMachine machine = sw::tpu_v3();
  return machine;
}

/// An op and an all-reduce of 8 numbers, so that a step ends when the slowest chip has computed, and little later.
compiler::Program synchronous_step() {
  testing::ProgramMaker maker;
  const int op = maker.define(testing::tile_op("matmul", 400, 40'000, 16, 1024, 20'000));
  return maker.op(op).all_reduce(16).program();
}

noc::Topology square(std::int64_t side) { return noc::Topology({side, side}, {false, false}); }

/// The mean over seeds and steps of what a fault adds to a step, in seconds.
double mean_increase(std::string_view text, std::int64_t side, int seeds, int steps) {
  const compiler::Program program = synchronous_step();
  const noc::Topology slice = square(side);
  const noc::Fault fault = noc::parse_fault(text);
  testing::RunOptions options;
  options.estimates = false;
  const double healthy = base::to_duration(testing::run(program, straggling_machine(), slice, options).step_time).si();
  options.steps = steps;
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    options.faults = noc::Faults(slice, std::span(&fault, 1), {.host_chips = 4, .seed = std::uint64_t(seed)});
    for (const base::Time step : testing::run(program, straggling_machine(), slice, options).step_times) {
      sum += base::to_duration(step).si() - healthy;
    }
  }
  return sum / (seeds * steps);
}

/// H_n: the mean of the largest of n exponential variables of mean 1.
double harmonic(std::int64_t n) {
  double sum = 0;
  for (std::int64_t k = 1; k <= n; ++k) sum += 1 / double(k);
  return sum;
}

/// Variance of the same: the sum of 1 / k^2.
double variance_of_largest(std::int64_t n) {
  double sum = 0;
  for (std::int64_t k = 1; k <= n; ++k) sum += 1 / double(k * k);
  return sum;
}

/// The mean of the largest of n absolute values of standard normal variables: the integral of 1 - erf(x / sqrt 2)^n.
double largest_of_normal(std::int64_t n) {
  constexpr int pieces = 20'000;
  constexpr double end = 10;
  double sum = 0;
  for (int i = 0; i < pieces; ++i) {
    const double x = (i + 0.5) * end / pieces;
    sum += 1 - std::pow(std::erf(x / std::numbers::sqrt2), double(n));
  }
  return sum * end / pieces;
}

TEST(Stragglers, AnExponentialDelayOfChipsGrowsWithTheHarmonicNumber) {
  // A step begins on all chips at once, to the few microseconds of an all-reduce, of 1 ms in the mean.
  for (const std::int64_t side : {2, 4, 8}) {
    const std::int64_t chips = side * side;
    const int seeds = 1, steps = chips == 64 ? 40 : 200;
    const double error = 1e-3 * std::sqrt(variance_of_largest(chips) / (seeds * steps));
    EXPECT_NEAR(mean_increase("jitter:exponential:1ms", side, seeds, steps), 1e-3 * harmonic(chips), 4 * error + 1e-5)
        << chips;
  }
}

TEST(Stragglers, DelaysOfHostsGrowWithTheNumberOfHosts) {
  // A host has 4 chips: 16 hosts of 8x8 chips.
  constexpr int seeds = 1, steps = 40;
  const double error = 1e-3 * std::sqrt(variance_of_largest(16) / (seeds * steps));
  EXPECT_NEAR(mean_increase("host-jitter:exponential:1ms", 8, seeds, steps), 1e-3 * harmonic(16), 4 * error + 1e-5);
}

TEST(Stragglers, UniformDelaysApproachTheirEnd) {
  // The largest of n uniform variables has the mean n / (n + 1), and a standard deviation below 1 / n.
  for (const std::int64_t side : {2, 4, 8}) {
    const auto chips = double(side * side);
    const int seeds = 1, steps = chips == 64 ? 40 : 200;
    EXPECT_NEAR(mean_increase("jitter:1ms", side, seeds, steps), 1e-3 * chips / (chips + 1),
                4 * 1e-3 / chips / std::sqrt(seeds * steps) + 1e-5)
        << chips;
  }
}

TEST(Stragglers, SpeedsCostWhatTheSlowestChipTakesLonger) {
  // Every chip is drawn once for all steps. The op alone takes longer: the all-reduce is a hundredth of it.
  const compiler::Program program = synchronous_step();
  const double op = base::to_duration(testing::run(program, straggling_machine(), square(1), {}).compute).si();
  for (const std::int64_t side : {2, 4, 8}) {
    const std::int64_t chips = side * side;
    const int seeds = chips == 64 ? 20 : 100;
    // The largest normal variable has a standard deviation below 0.6.
    const double error = 0.01 * op * 0.6 / std::sqrt(seeds);
    const double expected = 0.01 * op * largest_of_normal(chips);
    EXPECT_NEAR(mean_increase("speeds:normal:0.01", side, seeds, 1), expected, 4 * error + 0.03 * expected) << chips;
  }
}

}  // namespace
}  // namespace podsim::sw::runtime::session
