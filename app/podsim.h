// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::app {

/// The program `podsim`: runs the command that the arguments name, prints errors like a compiler, returns the exit
/// code.
int run_podsim(int argc, char** argv);

}  // namespace podsim::app
