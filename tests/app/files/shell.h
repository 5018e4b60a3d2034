// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/app/program.h"

namespace podsim::test {

/// Runs a line of the shell in the folder; "$PODSIM" in it is the built program.
inline Outcome run_line(const Folder& folder, const std::string& line) {
  return Child(folder, {"-c", "PODSIM='" PODSIM_PROGRAM "'; " + line}, "/bin/sh").wait();
}

}  // namespace podsim::test
