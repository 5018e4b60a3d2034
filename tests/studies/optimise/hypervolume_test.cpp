// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/hypervolume.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace podsim::studies::optimise {
namespace {

TEST(Hypervolume, OfSetsByHand) {
  EXPECT_DOUBLE_EQ(HypervolumeFront({{3}, {1}, {2}}, {4}).volume(), 3);
  // Boxes to (4, 4): 3 x 1, then 2 x 1 and 1 x 1 more. The point (3, 3) is dominated, (5, 0) not below the reference.
  EXPECT_DOUBLE_EQ(HypervolumeFront({{1, 3}, {3, 1}, {2, 2}, {3, 3}, {5, 0}}, {4, 4}).volume(), 6);
  // 2 x 2 x 1 and 1 x 1 x 2, which share 1 x 1 x 1.
  EXPECT_DOUBLE_EQ(HypervolumeFront({{0, 0, 1}, {1, 1, 0}}, {2, 2, 2}).volume(), 5);
  EXPECT_DOUBLE_EQ(HypervolumeFront({}, {1, 1}).volume(), 0);
}

/// Volume of points with whole coordinates from 0 to 4, as the number of unit cells up to 5 that one of them dominates.
double counted_volume(const std::vector<Costs>& points, std::size_t objectives) {
  double count = 0;
  for (int number = 0; number < int(std::pow(5, objectives)); ++number) {
    std::vector<int> cell;
    for (int rest = number; cell.size() < objectives; rest /= 5) cell.push_back(rest % 5);
    bool covered = false;
    for (const Costs& point : points) {
      bool inside = true;
      for (std::size_t i = 0; i < objectives; ++i) inside = inside && cell[i] >= point[i];
      covered = covered || inside;
    }
    count += covered ? 1 : 0;
  }
  return count;
}

RC_GTEST_PROP(Hypervolume, IsTheNumberOfCellsThatAreDominated, ()) {
  const auto objectives = std::size_t(*rc::gen::inRange(1, 5));
  std::vector<Costs> points(std::size_t(*rc::gen::inRange(0, 7)));
  for (Costs& point : points) {
    for (std::size_t i = 0; i < objectives; ++i) point.push_back(*rc::gen::inRange(0, 5));
  }
  Costs more;
  for (std::size_t i = 0; i < objectives; ++i) more.push_back(*rc::gen::inRange(0, 5));
  const HypervolumeFront front(points, Costs(objectives, 5));
  const double before = counted_volume(points, objectives);
  RC_ASSERT(front.volume() == before);
  points.push_back(more);
  RC_ASSERT(front.gain(more) == counted_volume(points, objectives) - before);
}

/// E max(0, -z) of a standard normal z is its density at 0, and E max(0, limit - cost) of a sure cost what it says.
TEST(ExpectedImprovement, HasItsClosedForms) {
  EXPECT_NEAR(expected_improvement(0, {0, 1}), 1 / std::sqrt(2 * std::numbers::pi), 1e-15);
  EXPECT_DOUBLE_EQ(expected_improvement(5, {3, 0}), 2);
  EXPECT_DOUBLE_EQ(expected_improvement(1, {3, 0}), 0);
  EXPECT_DOUBLE_EQ(expected_improvement(-std::numeric_limits<double>::infinity(), {3, 1}), 0);
}

/// The mean of what 40,000 drawn points would add, within four deviations of that mean.
TEST(Hypervolume, ExpectsTheMeanGain) {
  const HypervolumeFront front({{1, 3, 2}, {2, 2, 1}, {3, 1, 3}}, {4, 4, 4});
  const std::vector<Prediction> costs{{1.8, 0.5}, {2.2, 1}, {1.5, 0.25}};
  std::mt19937_64 random(11);
  constexpr int draws = 40'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    Costs drawn;
    for (const Prediction& cost : costs) drawn.push_back(std::normal_distribution(cost.mean, cost.deviation)(random));
    const double gain = front.gain(drawn);
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / draws, deviation = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(front.expected_gain(costs), mean, 4 * deviation);
}

}  // namespace
}  // namespace podsim::studies::optimise
