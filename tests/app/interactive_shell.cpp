// SPDX-License-Identifier: Apache-2.0
#include "tests/app/interactive_shell.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace podsim::test {
namespace {

constexpr int missing = 127;
constexpr auto patience = std::chrono::seconds(20);

bool is_there(const std::string& program) {
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (access((path.substr(begin, end - begin) + "/" + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

[[noreturn]] void execute_shell(const Folder& folder, std::vector<std::string> words) {
  const std::string program_folder = std::filesystem::path(PODSIM_PROGRAM).parent_path().string();
  setenv("PATH", (program_folder + ":" + std::getenv("PATH")).c_str(), 1);
  setenv("HOME", folder.path().c_str(), 1);
  setenv("TERM", "dumb", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  unsetenv("PROMPT_COMMAND");
  setenv("PS1", "$ ", 1);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (chdir(folder.path().c_str()) == 0) execvp(pointers[0], pointers.data());
  _exit(missing);
}

}  // namespace

InteractiveShell::InteractiveShell(const Folder& folder, const std::vector<std::string>& words)
    : exists_(is_there(words.front())) {
  if (!exists_) return;
  winsize size{.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
  id_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (id_ < 0) throw std::runtime_error("no terminal");
  if (id_ == 0) execute_shell(folder, words);
}

InteractiveShell::~InteractiveShell() {
  if (id_ <= 0) return;
  close(terminal_);
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

void InteractiveShell::send(const std::string& keys) const {
  for (std::size_t sent = 0; sent < keys.size();) {
    const ssize_t count = write(terminal_, keys.data() + sent, keys.size() - sent);
    if (count <= 0) throw std::runtime_error("the shell is gone");
    sent += std::size_t(count);
  }
}

bool InteractiveShell::shows(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::array<char, 4096> chunk{};
  while (true) {
    const std::size_t found = shown_.find(text);
    if (found != std::string::npos) {
      shown_.erase(0, found + text.size());
      return true;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd descriptor{.fd = terminal_, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&descriptor, 1, int(left.count())) <= 0) return false;
    const ssize_t size = read(terminal_, chunk.data(), chunk.size());
    if (size <= 0) return false;
    shown_.append(chunk.data(), std::size_t(size));
  }
}

std::optional<std::string> run_shell(const Folder& folder, const std::vector<std::string>& words) {
  if (!is_there(words.front())) return std::nullopt;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t id = fork();
  if (id == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execute_shell(folder, words);
  }
  close(ends[1]);
  std::string out;
  std::array<char, 4096> chunk{};
  for (ssize_t size = 0; (size = read(ends[0], chunk.data(), chunk.size())) > 0;) {
    out.append(chunk.data(), std::size_t(size));
  }
  close(ends[0]);
  waitpid(id, nullptr, 0);
  return out;
}

}  // namespace podsim::test
