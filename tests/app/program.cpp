// SPDX-License-Identifier: Apache-2.0
#include "tests/app/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace podsim::test {
namespace {

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void redirect(int descriptor, const std::filesystem::path& file) {
  int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
}

[[noreturn]] void execute_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  _exit(127);
}

}  // namespace

Folder::Folder() {
  std::string pattern = ::testing::TempDir() + "podsim-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::read(const std::filesystem::path& file) const { return read_file(path_ / file); }

void Folder::write(const std::filesystem::path& file, const std::string& text) const {
  std::ofstream(path_ / file, std::ios::binary) << text;
}

std::vector<std::string> Folder::names(const std::filesystem::path& inside) const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(path_ / inside)) {
    found.push_back(entry.path().filename().string());
  }
  std::ranges::sort(found);
  return found;
}

Outcome Folder::run(const std::vector<std::string>& arguments) const { return Child(*this, arguments).wait(); }

std::string find_program(const std::string& name) {
  std::istringstream folders(std::string(getenv("PATH")) + ":/usr/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

Child::Child(const Folder& folder, const std::vector<std::string>& arguments, const std::string& program) {
  static int started = 0;  // several may run in one folder
  const std::string beside = folder.path().string() + "." + std::to_string(++started);
  out_ = beside + ".out";
  err_ = beside + ".err";
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ > 0) return;
  if (chdir(folder.path().c_str()) != 0) _exit(125);
  redirect(STDOUT_FILENO, out_);
  redirect(STDERR_FILENO, err_);
  execute_program(program, arguments);
}

Child::~Child() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    wait();
  }
  std::error_code ignored;
  std::filesystem::remove(out_, ignored);
  std::filesystem::remove(err_, ignored);
}

bool Child::running() const {
  siginfo_t information = {};  // looked at without taking the child's status away
  return waitid(P_PID, id_t(id_), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_pid == 0;
}

bool Child::catches(int signal) const {
  const std::string status = read_file(std::filesystem::path("/proc") / std::to_string(id_) / "status");
  const std::string field = "SigCgt:";
  const std::size_t at = status.find(field);
  if (at == std::string::npos) return false;
  return (std::stoull(status.substr(at + field.size()), nullptr, 16) >> (signal - 1) & 1) != 0;
}

void Child::send(int signal) const { kill(id_, signal); }

Outcome Child::wait() {
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_file(out_), read_file(err_)};
}

}  // namespace podsim::test
