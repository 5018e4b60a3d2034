// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace podsim::app {

/// What the process that ran a point of a study left.
struct PointOutput {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string out;    ///< what it printed: JSON when it went well
  std::string error;  ///< last lines of stderr, and the signal that ended it
  double wall_s = 0;
};

/// One line of JSON without its end, to be sent from process to process. Bytes that are no UTF-8 are replaced.
std::string to_message(const PointOutput& output);
/// What to_message() was given; std::logic_error for a text that it did not make.
PointOutput from_message(const std::string& message);

/// The last lines of a text, at most 20 and 4000 bytes of them, without a line cut in two unless it is the only one.
std::string last_lines(const std::string& text);

}  // namespace podsim::app
