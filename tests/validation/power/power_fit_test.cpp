// SPDX-License-Identifier: Apache-2.0
#include "validation/power/power_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace podsim::validation::power {
namespace {

SimulatedPower row(double published, const std::vector<PowerTerms>& steps, PowerOf figure = PowerOf::mean) {
  SimulatedPower power;
  power.published = {.figure = figure, .machine = "tpu-v3", .watts = published, .source = {}};
  power.steps = steps;
  return power;
}

TEST(PowerFit, AFigureIsOfTheStepThatDrawsLeastOrMostOrOfTheirMean) {
  const std::vector<PowerTerms> steps{{100, 20, 0, 10}, {100, 80, 0, 30}, {100, 50, 0, 5}};
  EXPECT_DOUBLE_EQ(watts(terms_of(row(1, steps, PowerOf::least))), 130);
  EXPECT_DOUBLE_EQ(watts(terms_of(row(1, steps, PowerOf::most))), 210);
  EXPECT_DOUBLE_EQ(watts(terms_of(row(1, steps))), (130 + 210 + 155) / 3.0);
}

// Rows that were made with known factors give them back, whichever is left out.
TEST(PowerFit, FindsTheFactorsThatRowsWereMadeWith) {
  const PowerFactors truth{1.2, 0.7, 1.5};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(10, 100);
  std::vector<SimulatedPower> rows;
  for (int i = 0; i < 6; ++i) {
    const PowerTerms terms{any(random), any(random), any(random), any(random)};
    rows.push_back(row(watts(terms, truth), {terms}));
    rows.back().published.commands = {{"step", std::to_string(i)}};
  }
  for (std::size_t left_out = 0; left_out <= rows.size(); ++left_out) {
    const PowerFactors found = fit_power(rows, left_out);
    for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(found[i], truth[i], 1e-9);
  }
}

// Chips without hosts say nothing of the share of hosts.
TEST(PowerFit, LeavesWhatTheRowsDoNotTell) {
  const std::vector<SimulatedPower> rows{row(150, {{100, 50, 0, 0}}), row(140, {{100, 40, 0, 0}})};
  const PowerFactors found = fit_power(rows, rows.size());
  EXPECT_NEAR(found[0], 1, 1e-9);
  EXPECT_NEAR(found[1], 1, 1e-9);
  EXPECT_EQ(found[2], 1);
}

// The rows of shared/measurements/power.csv, and the least of energy.csv.
TEST(PublishedPower, HasEveryRow) {
  std::multiset<double> watts;
  for (const PublishedPower& power : published_power()) watts.insert(power.watts);
  EXPECT_EQ(watts, (std::multiset<double>{123, 175, 220, 221, 229, 262, 283, 289}));
}

}  // namespace
}  // namespace podsim::validation::power
