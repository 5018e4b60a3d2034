// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/app/program.h"

/// Shells that find the built program as `podsim`, in a folder, without the user's own settings.
namespace podsim::test {

/// A shell on a separate terminal, as an interactive user sees it.
class InteractiveShell {
 public:
  InteractiveShell(const Folder& folder, const std::vector<std::string>& words);
  ~InteractiveShell();
  InteractiveShell(const InteractiveShell&) = delete;
  InteractiveShell& operator=(const InteractiveShell&) = delete;

  /// True if the shell is installed.
  bool exists() const { return exists_; }
  void send(const std::string& keys) const;
  /// Waits until `text` is shown after the text of earlier calls; false when it does not appear within 20 s.
  bool shows(const std::string& text);
  /// Output that has been shown and that no call waited for yet.
  const std::string& shown() const { return shown_; }

 private:
  bool exists_ = false;
  int terminal_ = -1;
  pid_t id_ = -1;
  std::string shown_;
};

/// The stdout of a shell that runs to its end; std::nullopt if the shell is not installed.
std::optional<std::string> run_shell(const Folder& folder, const std::vector<std::string>& words);

}  // namespace podsim::test
