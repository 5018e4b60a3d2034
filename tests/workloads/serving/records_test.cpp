// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/dice.h"
#include "workloads/serving/cache_memory.h"
#include "workloads/serving/latency_histogram.h"
#include "workloads/serving/time_series.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;

/// Against the sorted times: not below the exact quantile, and less than 1/128 above it.
TEST(LatencyHistogram, HasQuantilesWithin128th) {
  base::Dice dice(1);
  for (int round = 0; round < 30; ++round) {
    serving::LatencyHistogram histogram;
    std::vector<std::int64_t> times;
    double sum = 0;
    const std::int64_t most = std::int64_t(1) << dice.between(1, 50);
    for (int i = 0; i < 500; ++i) {
      times.push_back(dice.between(0, most));
      sum += double(times.back());
      histogram.add(Nanoseconds(times.back()));
    }
    std::ranges::sort(times);
    EXPECT_NEAR(histogram.mean(), 1e-9 * sum / 500, 1e-9 * sum / 500 * 1e-9);
    for (const double share : {0.0, 0.5, 0.9, 0.99, 1.0}) {
      const double exact = 1e-9 * double(times[std::size_t(std::max(1.0, std::ceil(share * 500))) - 1]);
      EXPECT_GE(histogram.quantile(share), exact * (1 - 1e-12));
      EXPECT_LE(histogram.quantile(share), exact * (1 + 1.0 / 128) + 1e-15);
    }
  }
}

/// Against the integral, taken nanosecond by nanosecond of a coarser clock.
TEST(TimeSeries, HasTheMeansOfItsBins) {
  base::Dice dice(2);
  for (int round = 0; round < 20; ++round) {
    const std::int64_t tick = 250'000, ticks = dice.between(50, 5000);
    serving::TimeSeries series(16);
    std::vector<double> values;
    double value = 0;
    for (std::int64_t t = 0; t < ticks; ++t) {
      if (dice.one_in(5)) {
        value = double(dice.between(0, 9));
        series.set(Nanoseconds(t * tick), value);
      }
      values.push_back(value);
    }
    series.end(Nanoseconds(ticks * tick));
    const std::vector<double> means = series.means();
    const std::int64_t per_bin = series.width().value() / tick;
    EXPECT_EQ(std::int64_t(means.size()), (ticks + per_bin - 1) / per_bin);
    EXPECT_LE(means.size(), 16u);
    double sum = 0;
    for (std::size_t bin = 0; bin < means.size(); ++bin) {
      const auto begin = std::size_t(per_bin) * bin, end = std::min(values.size(), begin + std::size_t(per_bin));
      double of_bin = 0;
      for (std::size_t t = begin; t < end; ++t) of_bin += values[t];
      EXPECT_NEAR(means[bin], of_bin / double(end - begin), 1e-9);
      sum += of_bin;
    }
    EXPECT_NEAR(series.mean(), sum / double(ticks), 1e-9);
    EXPECT_EQ(series.most(), *std::ranges::max_element(values));
  }
}

/// Against counts: pages in use are those taken and those of held blocks; what is idle goes when pages are wanted.
TEST(CacheMemory, AddsUp) {
  base::Dice dice(3);
  serving::CacheMemory memory(40, 2);
  std::int64_t own = 0;
  std::map<std::uint64_t, int> holders;
  for (int i = 0; i < 20'000; ++i) {
    const auto block = std::uint64_t(dice.between(1, 12));
    const std::uint64_t blocks[] = {block};
    switch (dice.between(0, 4)) {
      case 0: {
        const std::int64_t pages = dice.between(1, 6), free = memory.free();
        EXPECT_EQ(memory.take(pages), pages <= free);
        if (pages <= free) own += pages;
        break;
      }
      case 1:
        if (own > 0) memory.give(1), --own;
        break;
      case 2:
        if (own < 2) break;
        if (memory.known(blocks) == 0) {
          EXPECT_TRUE(memory.keep(block));
          holders[block] = 1;
          own -= 2;
        } else {
          EXPECT_FALSE(memory.keep(block));
        }
        break;
      case 3:
        if (memory.known(blocks) == 1) memory.hold(blocks), ++holders[block];
        break;
      case 4:
        if (holders[block] > 0) memory.release(blocks), --holders[block];
        break;
    }
    std::int64_t held = 0;
    for (const auto& [name, count] : holders) held += count > 0 ? 2 : 0;
    ASSERT_EQ(memory.used(), own + held);
    ASSERT_LE(memory.used(), memory.pages());
    for (const auto& [name, count] : holders) {
      const std::uint64_t one[] = {name};
      ASSERT_TRUE(count == 0 || memory.known(one) == 1) << "a held block is gone";
    }
  }
}

/// Blocks that were released first go first, and the last of a prompt before its first.
TEST(CacheMemory, DropsTheOldestIdleBlocks) {
  serving::CacheMemory memory(8, 2);
  const std::vector<std::uint64_t> prompt{1, 2}, other{3, 4};
  for (const std::uint64_t block : {1, 2, 3, 4}) {
    ASSERT_TRUE(memory.take(2));
    ASSERT_TRUE(memory.keep(block));
  }
  memory.release(prompt);
  memory.release(other);
  EXPECT_EQ(memory.free(), 8);
  ASSERT_TRUE(memory.take(2));
  EXPECT_EQ(memory.known(prompt), 1);
  EXPECT_EQ(memory.known(other), 2);
  ASSERT_TRUE(memory.take(4));
  EXPECT_EQ(memory.known(prompt), 0);
  EXPECT_EQ(memory.known(other), 1);
}

}  // namespace
}  // namespace podsim
