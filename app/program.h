// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::app {

/// The whole program, for a main() that first registers what it adds (docs/extending.md): runs the command that the
/// arguments name, with all flags, help and errors, and returns the exit code for main() to return.
int run_program(int argc, char** argv);

}  // namespace podsim::app
