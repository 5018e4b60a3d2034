// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

namespace podsim::app {

void add_commands(CLI::App& program, int& code) {
  add_run(program, code);
  add_describe(program, code);
}

}  // namespace podsim::app
