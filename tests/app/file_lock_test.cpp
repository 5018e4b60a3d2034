// SPDX-License-Identifier: Apache-2.0
#include "base/host/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/diagnostic.h"
#include "tests/app/program.h"

namespace podsim::base::host {
namespace {

using enum FileLock::Kind;

/// The number that `body` returns in a separate process.
int elsewhere(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(FileLock, IsHadByOneProcessUntilItGivesItBack) {
  const test::Folder folder;
  const auto file = folder.path() / "lock";
  const pid_t parent = getpid();
  auto free = [&](FileLock::Kind kind, std::int64_t byte) {
    return elsewhere([&] {
             FileLock lock(file);
             const int holder = lock.try_lock(kind, byte);
             return holder == 0 ? 0 : holder == parent ? 1 : 2;
           }) == 0;
  };
  FileLock lock(file);
  EXPECT_EQ(lock.try_lock(exclusive, 3), 0);
  EXPECT_FALSE(free(exclusive, 3));
  EXPECT_FALSE(free(shared, 3));
  EXPECT_TRUE(free(exclusive, 4));
  lock.unlock(3);
  EXPECT_TRUE(free(exclusive, 3));
  EXPECT_EQ(lock.try_lock(shared, 3), 0);
  EXPECT_TRUE(free(shared, 3));
  EXPECT_FALSE(free(exclusive, 3));
}

TEST(FileLock, EndsWithItsProcessThoughAChildLives) {
  const test::Folder folder;
  const auto file = folder.path() / "lock";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    FileLock lock(file);
    if (lock.try_lock(exclusive, 0) != 0) _exit(1);
    const pid_t child = fork();
    if (child == 0) {
      while (true) pause();
    }
    if (write(ends[1], &child, sizeof child) < 0) _exit(1);
    while (true) pause();
  }
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), ssize_t(sizeof child));
  FileLock lock(file);
  EXPECT_EQ(lock.try_lock(exclusive, 0), holder);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(lock.try_lock(exclusive, 0), 0);
  kill(child, SIGKILL);
}

TEST(FileLock, SaysWhichFileItCannotMake) { EXPECT_THROW(FileLock("/nowhere/lock"), InputError); }

}  // namespace
}  // namespace podsim::base::host
