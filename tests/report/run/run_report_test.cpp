// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_report.h"

#include <gtest/gtest.h>

#include "tests/report/sample_report.h"

namespace podsim::report::run {
namespace {

using testing::sample_report;

TEST(RunReport, RatesFollowFromTheStep) {
  RunReport report = testing::sample_report();
  EXPECT_DOUBLE_EQ(report.step_s(), 0.01);
  // 128 images, 16 chips of two cores, 100 steps a second.
  EXPECT_DOUBLE_EQ(report.samples_per_s(), 128 * 32 * 100);
  // 123.2 GFLOP of matmuls in 10 ms are 12.32 TFLOP/s, of 61.6 (2 x 128 x 128 x 2 x 940 MHz).
  EXPECT_NEAR(report.mxu_utilization(), 12.32e12 / (4 * 128 * 128 * 940e6), 1e-9);
  // 2.059 GB in 10 ms are half of 411.8 GB/s.
  EXPECT_NEAR(report.hbm_utilization(), 0.5, 1e-9);
}

TEST(RunReport, IsBoundByWhatMostOfTheStepWaitsFor) {
  auto [bound, share] = testing::sample_report().bound();
  EXPECT_EQ(bound, sw::runtime::Bound::unit<hw::Mxu>());
  EXPECT_DOUBLE_EQ(share, 0.4);
  RunReport report = testing::sample_report();
  report.result.items[2].bound = sw::runtime::Bound::ici;
  EXPECT_EQ(report.bound(), (std::pair{sw::runtime::Bound::ici, 0.5}));
}

// The infeed and two ops of the sample step, one of them with a product.
TEST(RunReport, OfAStepThatWasInterruptedCountsWhatRan) {
  RunReport report = testing::sample_report();
  report.result.partial = true;
  report.result.steps = 0;
  report.result.items.resize(3);
  report.result.step_time = base::Time(7'000'000'000);
  report.program.items[1].matmul_flops = 6e9;
  EXPECT_DOUBLE_EQ(report.flops(), 6.16e9 + 1e6);
  EXPECT_DOUBLE_EQ(report.mxu_utilization(), 6e9 / (7e-3 * report.machine.peak_flops_per_core()));
  EXPECT_EQ(report.samples_per_s(), 0);
  report.result.steps = 1;  // the figures are those of the last whole step
  EXPECT_EQ(report.flops(), report.program.flops);
  EXPECT_GT(report.samples_per_s(), 0);
}

TEST(RunReport, WithoutACompleteStepRatesAreZeroNotInfinite) {
  RunReport report = testing::sample_report();
  report.result = {};
  EXPECT_EQ(report.samples_per_s(), 0);
  EXPECT_EQ(report.mxu_utilization(), 0);
  EXPECT_EQ(report.hbm_utilization(), 0);
  EXPECT_EQ(report.bound(), (std::pair{sw::runtime::Bound::latency, 0.0}));
}

TEST(RunReport, EveryBoundHasAName) {
  std::vector<std::string> names;
  for (sw::runtime::Bound bound :
       {sw::runtime::Bound::unit<hw::Mxu>(), sw::runtime::Bound::unit<hw::Vector>(),
        sw::runtime::Bound::unit<hw::CrossLane>(), sw::runtime::Bound::hbm, sw::runtime::Bound::ici,
        sw::runtime::Bound::others, sw::runtime::Bound::host, sw::runtime::Bound::latency}) {
    names.push_back(sw::runtime::to_string(bound));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"MXU", "vector unit", "cross-lane unit", "HBM", "ICI", "other cores",
                                             "host", "latency"}));
}

}  // namespace
}  // namespace podsim::report::run
