// SPDX-License-Identifier: Apache-2.0
#include "app/podsim.h"

#include "app/command_line/command_line.h"
#include "app/commands/commands.h"
#include "app/goodput/goodput_command.h"
#include "app/run/run_command.h"
#include "app/search/search_command.h"
#include "app/serve/serve_command.h"
#include "app/sweep/sweep_command.h"
#include "app/validate/validate.h"
#include "app/whatif/whatif_command.h"
#include "base/systemc/quiet_reports.h"

namespace podsim::app {
namespace {

constexpr const char* examples = R"(Examples:
  podsim run resnet50 --slice 4x4          a training step on 16 chips
  podsim run resnet50 --slice 32x32 -o r   the same on a full pod, with every op and a timeline in r/
  podsim kernel matmul --m 1024            a matmul on one core, bundle by bundle
  podsim describe                          the machine, value by value

Exit codes: 0 done, 1 the simulation failed, 2 bad input, 3 some points of a sweep failed (the others are kept),
124 the time of --limit is over, 130 interrupted (partial results are kept).)";

void add_commands(CLI::App& program, const std::vector<std::string>& words, int& code) {
  run::add_run(program, words, code);
  run::add_train(program, words, code);
  serve::add_serve(program, words);
  goodput::add_goodput(program);
  whatif::add_whatif(program, words, run_podsim, code);
  search::add_search(program, words, run_podsim, code);
  sweep::add_sweep(program, run_podsim, code);
  commands::add_kernel(program, code);
  commands::add_calibrate(program);
  commands::add_memory(program);
  commands::add_network(program);
  commands::add_collective(program);
  commands::add_stream(program);
  commands::add_hlo(program);
  commands::add_ops(program);
  commands::add_tiles(program);
  commands::add_levels(program);
  commands::add_trace(program);
  validate::add_validate(program);
  commands::add_report(program);
  commands::add_compare(program);
  commands::add_describe(program);
  commands::add_completion(program);
  commands::add_manual(program);
}

}  // namespace

int run_podsim(int argc, char** argv) {
  base::systemc::silence_reports();
  return command_line::run_command_line(
      argc, argv,
      {"podsim", "podsim: a cycle-approximate SystemC/TLM-2.0 model of the TPU v3, from one core to 4096 chips",
       examples},
      add_commands);
}

}  // namespace podsim::app
