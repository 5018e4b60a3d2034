// SPDX-License-Identifier: Apache-2.0
#include "base/host/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"

namespace podsim::base::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int failed_in_child = 1;

[[noreturn]] void cannot_make(const char* what) {
  throw SimulationError(fmt::format("cannot make a {}: {}", what, std::generic_category().message(errno)));
}

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_make("pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }

  std::array<int, 2> ends{-1, -1};  ///< read, write
};

/// Runs the body in the child. Never returns into the frames of the parent, whatever the body does.
[[noreturn]] void be_child(const std::function<int()>& body, const Pipe& out, const Pipe& error, int parent) {
  die_with_parent(parent);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) close(STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(error.ends[1], STDERR_FILENO);
  int code = failed_in_child;
  try {
    code = body();
  } catch (const std::exception& caught) {
    std::fprintf(stderr, "error: internal error: %s\n", caught.what());
  }
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code);
}

/// Reads what is available; returns false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), std::size_t(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

constexpr Clock::time_point never = Clock::time_point::max();

/// Time until the deadline in milliseconds, for poll(), but not long: an interruption may come before the call.
int wait_until(Clock::time_point deadline) {
  constexpr std::int64_t longest_ms = 100;
  if (deadline == never) return int(longest_ms);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return int(std::clamp<std::int64_t>(left, 0, longest_ms));
}

/// Reads both streams until the child ends, and kills it at the deadline; returns whether it did.
bool read_both(Pipe& out, Pipe& error, ProcessOutput& output, pid_t child, Clock::time_point deadline) {
  bool ended = false;
  std::array<Pipe*, 2> pipes = {&out, &error};
  std::array<std::string*, 2> texts = {&output.out, &output.error};
  while (out.ends[0] >= 0 || error.ends[0] >= 0) {
    std::array<pollfd, 2> wanted = {{{out.ends[0], POLLIN, 0}, {error.ends[0], POLLIN, 0}}};
    const int ready = poll(wanted.data(), wanted.size(), wait_until(deadline));
    if (ready == 0 && Clock::now() >= deadline) {
      kill(child, SIGKILL);
      ended = true;
      deadline = never;
    }
    end_if_interrupted();
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].revents != 0 && !read_some(wanted[i].fd, *texts[i])) pipes[i]->close_end(0);
    }
  }
  return ended;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

void die_with_parent(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(failed_in_child);  // the parent ended before the call
  for (int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
}

ProcessOutput run_in_child(const std::function<int()>& body, std::int64_t limit_s) {
  Pipe out, error;
  std::fflush(stdout);  // buffered output must not be written twice
  std::fflush(stderr);
  const auto begin = Clock::now();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) cannot_make("process");
  if (child == 0) be_child(body, out, error, parent);
  out.close_end(1);
  error.close_end(1);
  ProcessOutput output;
  const Clock::time_point deadline = limit_s > 0 ? begin + std::chrono::seconds(limit_s) : never;
  bool ended = false;
  try {
    ended = read_both(out, error, output, child, deadline);
  } catch (const Interrupted&) {
    kill(child, SIGKILL);
    wait_for(child);
    throw;
  }
  const int status = wait_for(child);
  output.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  if (ended) {
    output.exit_code = out_of_time;
    output.error += fmt::format("error: not done after {} s (--timeout)\n", limit_s);
  } else if (WIFSIGNALED(status)) {
    output.exit_code = 128 + WTERMSIG(status);
    output.error += fmt::format("ended by signal {} ({})\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    output.exit_code = WEXITSTATUS(status);
  }
  output.error = last_lines(output.error);
  return output;
}

ProcessOutput run_foreign_code(const std::function<int(int result)>& body) {
  const int shown = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (shown < 0) cannot_make("descriptor");
  const auto close_shown = [&] { close(shown); };
  ProcessOutput output;
  try {
    output = run_in_child([&] {
      const int result = fcntl(STDOUT_FILENO, F_DUPFD, STDERR_FILENO + 1);
      if (result < 0 || dup2(shown, STDOUT_FILENO) < 0 || dup2(shown, STDERR_FILENO) < 0) return failed_in_child;
      return body(result);
    });
  } catch (...) {
    close_shown();
    throw;
  }
  close_shown();
  return output;
}

}  // namespace podsim::base::host
