// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace podsim::base {

/// One line on a terminal that says how far something is and when it will be done:
///
///   simulating  37 %  [#######             ]  3 s left
///
/// Nothing is shown in the first second, more often than ten times a second, or where `terminal` is false; the
/// destructor clears the line.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// On stderr, if that is a terminal.
  explicit Progress(std::string label);
  /// For tests: any stream and any clock.
  Progress(std::string label, std::ostream& out, bool terminal, std::function<Clock::time_point()> now);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the work is done, 0 to 1; `note` is shown behind it. Cheap when there is nothing to show.
  void update(double fraction, std::string_view note = "");

 private:
  std::string label_;
  std::ostream& out_;
  bool terminal_;
  std::function<Clock::time_point()> now_;
  Clock::time_point begin_, next_;
  bool shown_ = false;
};

}  // namespace podsim::base
