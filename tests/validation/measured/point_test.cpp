// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace podsim::validation::measured {
namespace {

/// Kendall's tau-b by its definition: pairs one by one.
double tau_by_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  double agree = 0, in_a = 0, in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int of_a = (a[i] > a[j]) - (a[i] < a[j]), of_b = (b[i] > b[j]) - (b[i] < b[j]);
      agree += of_a * of_b;
      in_a += of_a != 0;
      in_b += of_b != 0;
    }
  }
  return in_a > 0 && in_b > 0 ? agree / std::sqrt(in_a) / std::sqrt(in_b) : 0;
}

RC_GTEST_PROP(Point, KendallsTauIsThatOfItsPairs, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 40);
  const auto ranks = rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 12));
  const std::vector<int> first = *ranks, second = *ranks;
  const std::vector<double> a(first.begin(), first.end()), b(second.begin(), second.end());
  RC_ASSERT(std::abs(kendall_tau(a, b) - tau_by_pairs(a, b)) < 1e-12);
}

// Errors of 10, 20, 30 and 40 %, one of them below: half of them are below 25 %, nine tenths below 37 %.
TEST(Point, AgreementIsOverTheModelledPoints) {
  PointClass measured;
  measured.points = {{.name = "a", .measured = 1, .modelled = 1.1, .roofline = 1},
                     {.name = "b", .measured = 2, .modelled = 1.6, .roofline = 1},
                     {.name = "c", .measured = 10, .modelled = 13, .roofline = 10},
                     {.name = "d", .measured = 20, .modelled = 28, .roofline = 20},
                     {.name = "e", .measured = 5, .modelled = std::nullopt, .roofline = 1}};
  const Agreement ours = agreement(measured);
  EXPECT_EQ(ours.points, 4U);
  EXPECT_NEAR(ours.median, 0.25, 1e-12);
  EXPECT_NEAR(ours.mean, 0.25, 1e-12);
  EXPECT_NEAR(ours.percentile_90, 0.37, 1e-12);
  EXPECT_NEAR(ours.bias, 0.15, 1e-12);
  EXPECT_NEAR(ours.tau.value_or(0), 1, 1e-12);
  EXPECT_NEAR(roofline_agreement(measured).mean, 0.5 / 4, 1e-12);
}

}  // namespace
}  // namespace podsim::validation::measured
