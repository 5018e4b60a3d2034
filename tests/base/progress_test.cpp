// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace podsim::base {
namespace {

using namespace std::chrono_literals;

struct Bench {
  std::ostringstream out;
  Progress::Clock::time_point now;
  std::string taken() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(Progress, IsSilentForASecondThenExtrapolates) {
  Bench bench;
  {
    Progress progress("simulating", bench.out, true, [&] { return bench.now; });
    bench.now += 999ms;
    progress.update(0.2);
    EXPECT_EQ(bench.taken(), "");
    bench.now += 1001ms;
    progress.update(0.4);  // 2 s for 0.4, so 3 s for the rest
    EXPECT_EQ(bench.taken(), "\r\033[Ksimulating  40 %  [########            ]  3 s left");
    bench.now += 99ms;
    progress.update(0.5);
    EXPECT_EQ(bench.taken(), "");
    bench.now += 1h;
    progress.update(0.5);
    EXPECT_EQ(bench.taken(), "\r\033[Ksimulating  50 %  [##########          ]  61 min left");
  }
  EXPECT_EQ(bench.taken(), "\r\033[K");
}

TEST(Progress, ShowsTheTimeSoFarOfWorkWhoseEndIsNotKnown) {
  Bench bench;
  Progress progress("evaluating", bench.out, true, [&] { return bench.now; });
  const auto note = [] { return std::string("main/dot"); };
  bench.now += 999ms;
  progress.update(note);
  EXPECT_EQ(bench.taken(), "");
  bench.now += 11s;
  progress.update(note);
  EXPECT_EQ(bench.taken(), "\r\033[Kevaluating  11 s so far  main/dot");
}

TEST(Progress, KnowsNoEndBeforeItHasBegun) {
  Bench bench;
  Progress progress("p", bench.out, true, [&] { return bench.now; });
  bench.now += 2s;
  progress.update(0);
  EXPECT_EQ(bench.taken(), "\r\033[Kp   0 %  [                    ]");
  bench.now += 2s;
  progress.update(1.5);
  EXPECT_EQ(bench.taken(), "\r\033[Kp 100 %  [####################]  0 s left");
}

TEST(Progress, ShowsANoteBehindTheTime) {
  Bench bench;
  Progress progress("p", bench.out, true, [&] { return bench.now; });
  bench.now += 2s;
  progress.update(0.5, "3 of 6");
  EXPECT_EQ(bench.taken(), "\r\033[Kp  50 %  [##########          ]  2 s left  3 of 6");
}

TEST(Progress, SaysNothingWithoutATerminal) {
  Bench bench;
  {
    Progress progress("p", bench.out, false, [&] { return bench.now; });
    bench.now += 1h;
    progress.update(0.5);
  }
  EXPECT_EQ(bench.taken(), "");
}

TEST(Progress, LeavesAShortTaskAlone) {
  Bench bench;
  {
    Progress progress("p", bench.out, true, [&] { return bench.now; });
    progress.update(1);
  }
  EXPECT_EQ(bench.taken(), "");
}

}  // namespace
}  // namespace podsim::base
