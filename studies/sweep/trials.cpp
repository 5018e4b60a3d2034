// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/trials.h"

#include <utility>

#include "base/host/exit_code.h"
#include "base/host/interrupt.h"
#include "studies/sweep/command_run.h"

namespace podsim::studies::sweep {

Trial trial_of(const base::host::ProcessOutput& output) {
  Trial trial{.done = false, .figures = {}, .exit_code = output.exit_code, .error = output.error};
  if (output.exit_code != base::host::done) return trial;
  trial.figures = nlohmann::ordered_json::parse(output.out, nullptr, false);
  trial.done = !trial.figures.is_discarded();
  if (!trial.done)
    return {.done = false, .figures = {}, .exit_code = base::host::failed, .error = "it printed no JSON"};
  return trial;
}

std::vector<Trial> run_trials(const std::vector<std::vector<std::string>>& commands, PointRunners& runners,
                              std::int64_t limit_s, const std::atomic<bool>& stop,
                              const std::function<void(std::size_t)>& ended) {
  std::vector<Trial> trials(commands.size());
  std::size_t count = 0;
  const CommandWatch watch{.ended =
                               [&](std::size_t position, const base::host::ProcessOutput& output) {
                                 trials[position] = trial_of(output);
                                 ++count;
                               },
                           .waited = [&] { ended(count); }};
  if (!run_commands(commands, runners, limit_s, stop, watch)) throw base::host::Interrupted();
  return trials;
}

}  // namespace podsim::studies::sweep
