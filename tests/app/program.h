// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

/// The built program run as a user runs it: as a child process in a separate folder.
namespace podsim::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal when a signal ended it
  std::string out, err;
};

/// An empty folder that the program is started in; removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string read(const std::filesystem::path& file) const;
  void write(const std::filesystem::path& file, const std::string& text) const;
  /// Names in `inside`, hidden ones too, sorted.
  std::vector<std::string> names(const std::filesystem::path& inside = ".") const;

  /// Runs to the end.
  Outcome run(const std::vector<std::string>& arguments) const;

 private:
  std::filesystem::path path_;
};

/// Path of a program on the host; empty if it is not installed.
std::string find_program(const std::string& name);

/// A run, of podsim or another program, that can be sent signals; its stdout and stderr go to files outside the folder.
class Child {
 public:
  Child(const Folder& folder, const std::vector<std::string>& arguments, const std::string& program = PODSIM_PROGRAM);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return id_; }
  bool running() const;
  /// True when it has a handler for the signal, which would end it otherwise.
  bool catches(int signal) const;
  void send(int signal) const;
  Outcome wait();

 private:
  std::filesystem::path out_, err_;
  pid_t id_ = -1;
};

}  // namespace podsim::test
