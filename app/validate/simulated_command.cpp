// SPDX-License-Identifier: Apache-2.0
#include "app/validate/simulated_command.h"

#include <optional>

#include "app/output/printed_errors.h"
#include "app/run/run.h"
#include "app/run/run_command.h"
#include "base/host/child_process.h"

namespace podsim::app::validate {

SimulatedCommand simulated_command(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"podsim"};
  words.insert(words.end(), command.begin(), command.end());
  words.emplace_back("--json");
  std::optional<run::RunOptions> options = run::job_options(words);
  if (!options) return {{}, "the command is not valid"};
  options->detail = "replay";
  const base::host::ProcessOutput output = base::host::run_in_child([&] {
    return output::with_errors_printed([&] { return run::run_workload(*options, run::recorded_command_line(words)); });
  });
  if (output.exit_code != 0) return {{}, output.error.substr(0, output.error.find('\n'))};
  return {nlohmann::json::parse(output.out), ""};
}

}  // namespace podsim::app::validate
