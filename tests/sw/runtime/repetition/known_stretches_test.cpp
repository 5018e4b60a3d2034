// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/known_stretches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/sw/runtime/synthetic_program.h"

namespace podsim::sw::runtime::repetition {
namespace {

/// Executes the steps of a program of `items` items on cores that begin late, each by its delay; an item takes
/// `cycles(position, core)`. Returns the positions that were skipped.
template <class Cycles>
std::vector<std::int64_t> execute(KnownStretches& known, std::int64_t end, const std::vector<std::int64_t>& delays,
                                  Cycles cycles, std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> skipped;
  ends = delays;
  for (std::int64_t position = 0; position < end;) {
    std::int64_t next = position + 1;
    for (std::size_t core = 0; core < delays.size(); ++core) {
      known.begins(position, base::Cycles(ends[core]));
      if (const auto duration = known.duration_from(position)) {
        ends[core] += duration->value();
        next = position + known.stretch_from(position).items;
      } else {
        ends[core] += cycles(position, core);
      }
    }
    for (std::int64_t passed = position; next > position + 1 && passed < next; ++passed) skipped.push_back(passed);
    position = next;
  }
  return skipped;
}

// "abAcdeBf" has 8 items, as many as a context: its items are known from the fourth layer after the first on. A stretch
// is of two layers, since one has less than 16 items; the rest of the last ones is no stretch alone.
TEST(KnownStretches, LayersAreKnownAfterThreeSamplesOfAllTheirPlaces) {
  const compiler::Program program = testing::program_of("x" + testing::repeated("abAcdeBf", 9) + "y");
  const KnownStretches known(program, 1, 4);
  // The items of layers 1 to 3 follow a whole layer, and "f" of layer 0 does so too: it is known one layer earlier.
  const std::vector<KnownStretches::Stretch> expected{{.first = 1 + 4 * 8 - 1, .items = 2 * 8},
                                                      {.first = 1 + 6 * 8 - 1, .items = 3 * 8 + 1}};
  EXPECT_EQ(known.stretches(), expected);
}

TEST(KnownStretches, LayersBehindOtherItemsAreKnownAgain) {
  const compiler::Program program =
      testing::program_of("x" + testing::repeated("abAcdeBf", 5) + "y" + testing::repeated("abAcdeBf", 5));
  const KnownStretches known(program, 1, 4);
  // The first five layers leave less than 16 items after three samples, the others "f" of one and four layers.
  const std::vector<KnownStretches::Stretch> expected{{.first = 1 + 5 * 8 + 1 + 7, .items = 2 * 8},
                                                      {.first = 1 + 7 * 8 + 1 + 7, .items = 2 * 8 + 1}};
  EXPECT_EQ(known.stretches(), expected);
}

TEST(KnownStretches, AStretchEndsWithItsStep) {
  const compiler::Program program = testing::program_of(testing::repeated("abAcdeBf", 6));
  const KnownStretches known(program, 3, 4);
  std::set<std::int64_t> steps;
  for (const KnownStretches::Stretch& stretch : known.stretches()) {
    EXPECT_EQ(stretch.first / 48, (stretch.first + stretch.items - 1) / 48);
    steps.insert(stretch.first / 48);
  }
  EXPECT_EQ(steps.size(), 3U);
}

TEST(KnownStretches, BranchesAndAsynchronousItemsAreSimulated) {
  testing::ProgramMaker branches, asynchronous;
  for (testing::ProgramMaker* maker : {&branches, &asynchronous}) {
    const int op = maker->define(testing::tile_op("op", 1, 1000, 0, 8, 1000));
    for (int item = 0; item < 100; ++item) {
      maker->op(op);
      if (maker == &branches && item == 7) maker->of_cores({0, 1});
    }
  }
  compiler::Program started = asynchronous.program();
  for (compiler::ProgramItem& item : started.items) item.phase = hlo::AsyncPhase::start;
  const compiler::Program cut = branches.program();
  EXPECT_TRUE(KnownStretches(cut, 5, 4).stretches().empty());
  EXPECT_TRUE(KnownStretches(started, 5, 4).stretches().empty());
}

// Oracle: the sum over all items that are executed one by one.
TEST(KnownStretches, EqualItemsTakeTheirTimeWhicheverCoresComeLate) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (int block = 0; block < 6; ++block) {
      std::string layer;
      std::mt19937 of_layer(std::uint32_t(round * 10 + block % 2));
      for (int item = 0; item < 12; ++item) layer += char((item % 4 == 3 ? 'A' : 'a') + int(of_layer() % 20));
      text += testing::repeated(layer, 2 + int(random() % 6)) + char('u' + random() % 5);
    }
    const compiler::Program program = testing::program_of(text);
    const std::vector<std::int64_t> delays{0, std::int64_t(random() % 50), std::int64_t(random() % 50)};
    const auto cycles = [&](std::int64_t position, std::size_t) {
      return std::int64_t(100 + 7 * text[std::size_t(position) % text.size()]);
    };
    KnownStretches known(program, 2, delays.size());
    std::vector<std::int64_t> ends;
    const auto end = std::int64_t(2 * text.size());
    const auto skipped = execute(known, end, delays, cycles, ends);
    EXPECT_FALSE(skipped.empty()) << text;
    for (std::size_t core = 0; core < delays.size(); ++core) {
      std::int64_t expected = delays[core];
      for (std::int64_t position = 0; position < end; ++position) expected += cycles(position, core);
      EXPECT_EQ(ends[core], expected) << text;
    }
  }
}

// Cores overtake each other from layer to layer; the mean of all is 1000 cycles an item.
TEST(KnownStretches, CoresThatTakeTurnsAreSkippedByTheirMean) {
  const compiler::Program program = testing::program_of(testing::repeated("abAcdeBf", 40));
  KnownStretches known(program, 1, 2);
  const auto cycles = [](std::int64_t position, std::size_t core) {
    return std::int64_t(1000 + ((position / 8 + std::int64_t(core)) % 2 == 0 ? 10 : -10));
  };
  std::vector<std::int64_t> ends;
  EXPECT_GT(execute(known, 320, {0, 0}, cycles, ends).size(), 250U);
  for (const std::int64_t end : ends) EXPECT_NEAR(double(end), 320e3, 8 * 10);
}

// The mean of all cores grows by 1.5 % from layer to layer, and so does the standard error of any of their means.
TEST(KnownStretches, LayersThatGetSlowerAreSimulated) {
  const compiler::Program program = testing::program_of(testing::repeated("abAcdeBf", 40));
  KnownStretches known(program, 1, 2);
  const auto cycles = [](std::int64_t position, std::size_t) { return std::int64_t(1000 + 15 * (position / 8)); };
  std::vector<std::int64_t> ends;
  EXPECT_TRUE(execute(known, 320, {0, 0}, cycles, ends).empty());
}

// Items take 1000 - d cycles in one layer and 1000 + d in the next. The first sample of a position is left out: of n
// samples, half of them above the mean and half below, the standard error is d / sqrt(n - 1), and 1000 / 500 = 2 are
// allowed. A stretch of two layers that is simulated is two samples more, of which the last eight are used: d = 6 is
// never below.
TEST(KnownStretches, AMeanIsTakenWhereItsStandardErrorIsAFiveHundredthOfItAtMost) {
  const compiler::Program program = testing::program_of(testing::repeated("abAcdeBf", 40));
  const auto first_skipped = [&](std::int64_t d) {
    KnownStretches known(program, 1, 1);
    // A layer begins with "f", as its stretch does.
    const auto cycles = [&](std::int64_t position, std::size_t) {
      return std::int64_t(1000 + ((position + 1) / 8 % 2 == 0 ? -d : d));
    };
    std::vector<std::int64_t> ends;
    const auto skipped = execute(known, 320, {0}, cycles, ends);
    return skipped.empty() ? -1 : skipped.front();
  };
  const auto samples_are = [](std::int64_t n) { return (4 + (n - 2)) * 8 - 1; };
  EXPECT_EQ(first_skipped(1), samples_are(2));
  EXPECT_EQ(first_skipped(2), samples_are(2));
  EXPECT_EQ(first_skipped(3), samples_are(4));
  EXPECT_EQ(first_skipped(4), samples_are(6));
  EXPECT_EQ(first_skipped(5), samples_are(8));
  for (const std::int64_t d : {6, 20, 60}) EXPECT_EQ(first_skipped(d), -1) << d;
}

// Cores drift apart in the first ten layers. Oracle: the sum over all items that are executed one by one.
TEST(KnownStretches, LayersThatSettleAreKnownOnceTheyHave) {
  const compiler::Program program = testing::program_of(testing::repeated("abAcdeBf", 60));
  KnownStretches known(program, 1, 2);
  const auto cycles = [](std::int64_t position, std::size_t) {
    return std::int64_t(1000 + 30 * std::max<std::int64_t>(0, 10 - position / 8));
  };
  std::vector<std::int64_t> ends;
  const auto skipped = execute(known, 480, {0, 0}, cycles, ends);
  ASSERT_FALSE(skipped.empty());
  EXPECT_GE(skipped.front(), 10 * 8);
  EXPECT_GT(skipped.size(), 240U);
  std::int64_t expected = 0;
  for (std::int64_t position = 0; position < 480; ++position) expected += cycles(position, 0);
  EXPECT_NEAR(double(ends[0]), double(expected), 0.005 * double(expected));
}

}  // namespace
}  // namespace podsim::sw::runtime::repetition
