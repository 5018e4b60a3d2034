// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace podsim::base {

/// Shows the progress of some work and its remaining time in one line of a terminal:
///
///   simulating  37 %  [#######             ]  3 s left
///   evaluating  12 s so far  main/dot.3
///
/// Nothing is shown in the first second, or if `terminal` is false, and nothing more often than ten times a second. The
/// destructor clears the line.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// Writes to stderr if that is a terminal.
  explicit Progress(std::string label);
  /// For tests, with any stream and any clock.
  Progress(std::string label, std::ostream& out, bool terminal, std::function<Clock::time_point()> now);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports that `fraction` of the work, 0 to 1, is done. `note` is shown after it. Cheap if nothing is to be shown.
  void update(double fraction, std::string_view note = "");
  /// Reports that the work goes on, for work whose end is not known, with the time since it began.
  void update(const std::function<std::string()>& note);

 private:
  bool due();
  void show(const std::string& line);

  std::string label_;
  std::ostream& out_;
  bool terminal_;
  std::function<Clock::time_point()> now_;
  Clock::time_point begin_, next_;
  bool shown_ = false;
};

}  // namespace podsim::base
