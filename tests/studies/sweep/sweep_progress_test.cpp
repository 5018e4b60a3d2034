// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace podsim::studies::sweep {
namespace {

using namespace std::chrono_literals;

struct Bench {
  std::ostringstream out;
  SweepProgress::Clock::time_point now;
  std::string taken() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(SweepProgress, IsALineThatIsWrittenOverOnATerminal) {
  Bench bench;
  SweepProgress progress(200, bench.out, true, [&] { return bench.now; });
  bench.now += 4s;
  progress.update(49, 1);  // 4 s for a quarter, so 12 s for the rest
  EXPECT_EQ(bench.taken(), "\r\033[Ksweep  25 %  [#####               ]  12 s left  50 of 200 points, 1 failed");
}

TEST(SweepProgress, IsALineAMinuteElsewhere) {
  Bench bench;
  SweepProgress progress(200, bench.out, false, [&] { return bench.now; });
  bench.now += 59s;
  progress.update(10, 0);
  EXPECT_EQ(bench.taken(), "");
  bench.now += 1s;
  progress.update(20, 0);
  EXPECT_EQ(bench.taken(), "20 of 200 points\n");
  bench.now += 59s;
  progress.update(30, 0);
  EXPECT_EQ(bench.taken(), "");
  bench.now += 1s;
  progress.update(30, 2);
  EXPECT_EQ(bench.taken(), "32 of 200 points, 2 failed\n");
}

}  // namespace
}  // namespace podsim::studies::sweep
