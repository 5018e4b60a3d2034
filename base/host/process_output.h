// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace podsim::base::host {

/// Output of a process that has ended.
struct ProcessOutput {
  int exit_code = 0;  ///< 128 + signal number if a signal ended it
  std::string out;    ///< stdout: JSON if it succeeded
  std::string error;  ///< last lines of stderr, and the signal that ended it
  double wall_s = 0;
};

/// Encodes an output as one line of JSON without a newline, to be sent between processes. Bytes that are not UTF-8 are
/// replaced.
std::string to_message(const ProcessOutput& output);
/// Decodes a text of to_message(); std::logic_error for any other text.
ProcessOutput from_message(const std::string& message);

/// The last lines of a text, at most 20 lines and 4000 bytes. A line is not truncated unless it is the only one.
std::string last_lines(const std::string& text);

}  // namespace podsim::base::host
