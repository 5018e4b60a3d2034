// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/worker_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/child_process.h"

namespace podsim::app::sweep {
namespace {

constexpr int wait_ms = 100;

[[noreturn]] void fail(const char* what) {
  throw base::SimulationError(fmt::format("cannot make a {}: {}", what, std::generic_category().message(errno)));
}

/// Sends `text` as a line. Returns false if the process at the other end is gone.
bool send_line(int socket, std::string text) {
  text += '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += std::size_t(count);
  }
  return true;
}

/// Receives a line; std::nullopt at the end of the stream.
std::optional<std::string> receive_line(int socket) {
  std::string line;
  std::array<char, 4096> buffer;
  while (!line.ends_with('\n')) {
    const ssize_t count = recv(socket, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    line.append(buffer.data(), std::size_t(count));
  }
  return line;
}

base::host::ProcessOutput output_of_lost(int status) {
  base::host::ProcessOutput output;
  if (WIFSIGNALED(status)) {
    output.exit_code = 128 + WTERMSIG(status);
    output.error = fmt::format("its worker was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    output.exit_code = WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1;
    output.error = fmt::format("its worker ended with exit code {}", WEXITSTATUS(status));
  }
  return output;
}

}  // namespace

WorkerProcesses::WorkerProcesses(std::size_t count, RunProgram run_program)
    : run_program_(run_program), workers_(count) {
  for (Worker& worker : workers_) start(worker);
}

WorkerProcesses::~WorkerProcesses() {
  // A worker that could not be restarted has process -1, and kill(-1) would signal every process.
  std::erase_if(workers_, [](const Worker& worker) { return worker.process < 0; });
  for (Worker& worker : workers_) kill(worker.process, SIGKILL);
  for (Worker& worker : workers_) end(worker);
}

void WorkerProcesses::start(Worker& worker) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socket");
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) fail("process");
  if (process == 0) {
    base::host::die_with_parent(parent);
    setpgid(0, 0);
    close(ends[0]);
    be_worker(ends[1]);
  }
  close(ends[1]);
  worker = {process, ends[0], false, ""};
}

void WorkerProcesses::be_worker(int socket) {
  for (const Worker& other : workers_) {
    if (other.socket >= 0) close(other.socket);
  }
  PointWorker worker(run_program_);
  try {
    while (const std::optional<std::string> line = receive_line(socket)) {
      const base::host::ProcessOutput output = worker.run(studies::sweep::task_of_message(*line));
      if (!send_line(socket, base::host::to_message(output))) break;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: a worker ends: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

int WorkerProcesses::end(Worker& worker) {
  kill(worker.process, SIGKILL);
  close(worker.socket);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) continue;
  worker = {};
  return status;
}

void WorkerProcesses::give(std::size_t runner, const studies::sweep::PointTask& task) {
  workers_[runner].busy = true;
  // If the worker has just ended, the next wait() finds that out.
  send_line(workers_[runner].socket, studies::sweep::to_message(task));
}

/// Receives what is available. Returns false if the worker has ended.
bool WorkerProcesses::receive(Worker& worker) {
  std::array<char, 65536> buffer;
  const ssize_t count = recv(worker.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) worker.received.append(buffer.data(), std::size_t(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

std::vector<studies::sweep::PointRunners::Report> WorkerProcesses::wait() { return wait(wait_ms); }

std::vector<studies::sweep::PointRunners::Report> WorkerProcesses::wait(int longest_ms) {
  std::vector<pollfd> wanted;
  for (const Worker& worker : workers_) wanted.push_back({worker.socket, POLLIN, 0});
  std::vector<Report> reports;
  if (poll(wanted.data(), wanted.size(), longest_ms) <= 0) return reports;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (wanted[i].revents == 0) continue;
    Worker& worker = workers_[i];
    if (!receive(worker)) {
      const bool busy = worker.busy;
      const int status = end(worker);
      if (busy) reports.push_back({i, true, output_of_lost(status)});
      start(worker);
    } else if (worker.received.ends_with('\n')) {
      worker.busy = false;
      reports.push_back({i, false, base::host::from_message(std::exchange(worker.received, ""))});
    }
  }
  return reports;
}

}  // namespace podsim::app::sweep
