// SPDX-License-Identifier: Apache-2.0
#include "base/host/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <string>

#include "app/output/printed_errors.h"
#include "base/host/exit_code.h"

namespace podsim::base::host {
namespace {

TEST(ChildProcess, GivesWhatTheChildPrintsAndItsExitCode) {
  const ProcessOutput output = run_in_child([] {
    std::printf("result");
    std::fprintf(stderr, "first\nlast\n");
    return 5;
  });
  EXPECT_EQ(output.exit_code, 5);
  EXPECT_EQ(output.out, "result");
  EXPECT_EQ(output.error, "first\nlast");
  EXPECT_GT(output.wall_s, 0);
}

TEST(ChildProcess, TakesMoreThanAPipeHoldsOnBothSides) {
  const std::string much(1 << 20, 'x');
  const ProcessOutput output = run_in_child([&] {
    std::fputs(much.c_str(), stderr);
    std::fputs(much.c_str(), stdout);
    return 0;
  });
  EXPECT_EQ(output.out, much);
  EXPECT_EQ(output.error, std::string(4000, 'x'));
}

TEST(ChildProcess, SaysWhichSignalEndedTheChild) {
  const ProcessOutput output = run_in_child([] { return std::raise(SIGKILL); });
  EXPECT_EQ(output.exit_code, 137);
  EXPECT_EQ(output.error, "ended by signal 9 (Killed)");
}

TEST(ChildProcess, SaysWhatTheChildThrew) {
  const ProcessOutput output = run_in_child([]() -> int { throw std::runtime_error("no"); });
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_EQ(output.error, "error: internal error: no");
}

TEST(ChildProcess, IsEndedAfterItsTime) {
  const ProcessOutput output = run_in_child(
      [] {
        std::printf("begun");
        std::fflush(stdout);
        return int(sleep(600));
      },
      1);
  EXPECT_EQ(output.exit_code, out_of_time);
  EXPECT_EQ(output.out, "begun");
  EXPECT_EQ(output.error, "error: not done after 1 s (--timeout)");
  EXPECT_GE(output.wall_s, 1);
  EXPECT_LT(output.wall_s, 60);
  EXPECT_EQ(run_in_child([] { return 3; }, 600).exit_code, 3);
}

TEST(ChildProcess, SaysThatMemoryHasEnded) {
  const ProcessOutput output =
      run_in_child([] { return app::output::with_errors_printed([]() -> int { throw std::bad_alloc(); }); });
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_EQ(output.error, "error: there is not enough memory on this host, or not as much is allowed");
}

TEST(ChildProcess, HasNothingToRead) {
  EXPECT_EQ(run_in_child([] { return std::getchar() == EOF ? 0 : 1; }).exit_code, 0);
}

TEST(ChildProcess, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    run_in_child([&] {
      const pid_t child = getpid();
      if (write(ends[1], &child, sizeof child) < 0) return 1;
      while (true) pause();
    });
    _exit(0);
  }
  close(ends[1]);
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), ssize_t(sizeof child));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "its end of the pipe is closed: nobody has it";
  close(ends[0]);
}

}  // namespace
}  // namespace podsim::base::host
