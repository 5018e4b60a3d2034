// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_steps.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace podsim::workloads::lengths {
namespace {

/// All lengths up to `most` are equally frequent.
LengthLaw uniform(std::int64_t most) { return {std::vector<double>(std::size_t(most), 1.0 / double(most))}; }

LengthLaw constant(std::int64_t length) {
  LengthLaw law{std::vector<double>(std::size_t(length), 0.0)};
  law.shares.back() = 1;
  return law;
}

double padding(const std::vector<ShapeSteps>& shapes, std::int64_t batch) {
  double tokens = 0, places = 0;
  for (const ShapeSteps& shape : shapes) {
    tokens += double(shape.tokens);
    places += double(shape.steps * batch * shape.shape.array);
  }
  return 1 - tokens / places;
}

// The largest of n draws from 1 to m is at most k with the probability (k / m)^n, so that its mean is m less the sum of
// these for k < m, and its mean square follows likewise.
TEST(LengthSteps, LoopsEndWithTheExpectedLongestOfABatch) {
  constexpr int most = 50, steps = 4000;
  for (const int batch : {1, 4, 32}) {
    double mean = most, square = most * most;
    for (int k = 1; k < most; ++k) {
      const double below = std::pow(double(k) / most, batch);
      mean -= below;
      square -= below * (2 * k + 1);
    }
    const std::array buckets{LengthBucket{most, most + 6}};
    const auto shapes = bucketed_steps(uniform(most), buckets, {.batch = batch, .steps = steps, .loops = true});
    double sum = 0;
    for (const ShapeSteps& shape : shapes) sum += double(shape.steps * shape.shape.longest);
    const double deviation = std::sqrt((square - mean * mean) / steps);
    EXPECT_NEAR(sum / steps, mean, 4 * deviation) << batch;
  }
}

TEST(LengthSteps, BucketsHaveTheStepsAndThePaddingOfTheirShareOfALaw) {
  constexpr std::int64_t batch = 64, steps = 3000;
  const std::array buckets{LengthBucket{10, 16}, LengthBucket{25, 25}, LengthBucket{50, 56}};
  const auto shapes = bucketed_steps(uniform(40), buckets, {.batch = batch, .steps = steps});
  ASSERT_EQ(shapes.size(), 3U);  // without loops a shape is a bucket
  std::int64_t from = 0, drawn = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::int64_t end = buckets[i].end, last = std::min<std::int64_t>(end, 40);
    const ShapeSteps& bucket = shapes[i];
    EXPECT_EQ(bucket.shape, (StepShape{buckets[i].array, buckets[i].array}));
    EXPECT_EQ(bucket.samples, bucket.steps * batch);
    const double share = double(last - from) / 40, samples = double(steps * batch);
    // Four deviations of the number of samples, and the batch that a bucket has begun.
    EXPECT_NEAR(double(bucket.steps), share * steps, 4 * std::sqrt(samples * share * (1 - share)) / batch + 1);
    const double mean = double(from + 1 + last) / 2, spread = double(last - from) / std::sqrt(12.0);
    EXPECT_NEAR(double(bucket.tokens) / double(bucket.samples), mean, 4 * spread / std::sqrt(double(bucket.samples)));
    from = end;
    drawn += bucket.steps;
  }
  EXPECT_EQ(drawn, steps);
}

TEST(LengthSteps, PackedSamplesOfOneLengthFillAllButTheRest) {
  for (const std::int64_t length : {1, 3, 7, 100, 129, 256}) {
    const auto shapes = packed_steps(constant(length), 256, {.batch = 5, .steps = 3});
    ASSERT_EQ(shapes.size(), 1U);
    EXPECT_EQ(shapes[0].steps, 3);
    EXPECT_EQ(shapes[0].samples, 15 * (256 / length)) << length;
    EXPECT_EQ(shapes[0].tokens, 15 * (256 / length) * length) << length;
  }
}

// Packing the next sample into the last sequence or a new one fills three quarters of it, if sizes are uniform up to a
// whole sequence (Coffman, So, Hofri and Yao 1980): 2/3 of a sequence for a sample of a half on average.
TEST(LengthSteps, PackedSamplesOfUniformLengthsFillThreeQuarters) {
  constexpr std::int64_t room = 4000;
  const auto shapes = packed_steps(uniform(room), room, {.batch = 500, .steps = 200});
  EXPECT_NEAR(padding(shapes, 500), 0.25, 0.004);
  EXPECT_NEAR(double(shapes[0].samples) / (500 * 200), 1.5, 0.01);
}

TEST(LengthSteps, AreTheSameForTheSameSeed) {
  const std::array buckets{LengthBucket{20, 20}, LengthBucket{40, 40}};
  const auto tokens = [&](std::uint64_t seed) {
    std::vector<std::int64_t> of;
    for (const ShapeSteps& shape :
         bucketed_steps(uniform(40), buckets, {.batch = 8, .steps = 50, .seed = seed, .loops = true})) {
      of.push_back(shape.tokens);
    }
    return of;
  };
  EXPECT_EQ(tokens(1), tokens(1));
  EXPECT_NE(tokens(1), tokens(2));
}

}  // namespace
}  // namespace podsim::workloads::lengths
