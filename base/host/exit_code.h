// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::host {

/// Exit codes of the program.
enum ExitCode {
  done = 0,
  failed = 1,         ///< a simulation or check failed
  bad_input = 2,      ///< bad input or usage
  some_failed = 3,    ///< some points of a sweep failed
  out_of_time = 124,  ///< a time limit, as for timeout(1); partial results were kept
  interrupted = 130   ///< SIGINT; partial results were kept
};

}  // namespace podsim::base::host
