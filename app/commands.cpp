// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

namespace podsim::app {

void add_commands(CLI::App& program, const std::vector<std::string>& words, int& code) {
  add_run(program, words, code);
  add_sweep(program, code);
  add_kernel(program, code);
  add_calibrate(program);
  add_memory(program);
  add_network(program);
  add_collective(program);
  add_hlo(program);
  add_ops(program);
  add_report(program);
  add_compare(program);
  add_describe(program);
  add_completion(program);
  add_manual(program);
}

}  // namespace podsim::app
