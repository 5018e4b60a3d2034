// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/worker_processes.h"
#include "app/podsim.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include "base/diagnostic.h"

namespace {
std::atomic<int> signals_to_everybody = 0;
}

/// Replaces the C library's function in this test program: a signal to all processes is not sent but counted.
extern "C" int kill(pid_t process, int signal) noexcept {
  if (process != -1) return int(syscall(SYS_kill, process, signal));
  ++::signals_to_everybody;
  return 0;
}

namespace podsim::app::sweep {
namespace {

pid_t only_child() {
  const std::string id = std::to_string(getpid());
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  pid_t child = -1;
  list >> child;
  return child;
}

/// No file can be opened during its lifetime.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{3, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(WorkerProcesses, KillNobodyElseWhereOneCannotBeStartedAgain) {
  std::optional<WorkerProcesses> workers(std::in_place, 1, run_podsim);
  const pid_t worker = only_child();
  ASSERT_GT(worker, 0);
  ASSERT_EQ(kill(worker, SIGKILL), 0);
  {
    const NoMoreFiles limit;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto wait_for_the_end = [&] {
      while (std::chrono::steady_clock::now() < end) workers->wait();
    };
    EXPECT_THROW(wait_for_the_end(), base::SimulationError);
  }
  workers.reset();
  EXPECT_EQ(::signals_to_everybody, 0);
}

}  // namespace
}  // namespace podsim::app::sweep
