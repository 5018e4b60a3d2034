// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/trials.h"

#include <optional>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"
#include "studies/plan/point_queue.h"

namespace podsim::studies::sweep {
namespace {

std::vector<std::string> keys_of(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> keys;
  for (const std::vector<std::string>& words : commands) keys.push_back(plan::program_key(words));
  return keys;
}

Trial trial_of(const base::host::ProcessOutput& output) {
  Trial trial{.done = false, .figures = {}, .exit_code = output.exit_code, .error = output.error};
  if (output.exit_code != base::host::done) return trial;
  trial.figures = nlohmann::ordered_json::parse(output.out, nullptr, false);
  trial.done = !trial.figures.is_discarded();
  if (!trial.done)
    trial = {.done = false, .figures = {}, .exit_code = base::host::failed, .error = "it printed no JSON"};
  return trial;
}

class TrialsRun {
 public:
  TrialsRun(const std::vector<std::vector<std::string>>& commands, PointRunners& runners, std::int64_t limit_s)
      : commands_(commands),
        runners_(runners),
        limit_s_(limit_s),
        queue_(keys_of(commands)),
        at_(runners.size()),
        trials_(commands.size()) {}

  std::vector<Trial> run(const std::atomic<bool>& stop, const std::function<void(std::size_t)>& ended) {
    give_to_idle();
    while (running_ > 0) {
      if (stop) throw base::host::Interrupted();
      for (const PointRunners::Report& report : runners_.wait()) take(report);
      give_to_idle();
      ended(ended_);
    }
    if (!queue_.empty()) throw base::SimulationError("no process is left to run steps");
    return std::move(trials_);
  }

 private:
  struct Assignment {
    std::optional<plan::PointQueue::Next> last;
    bool busy = false;
  };

  void give_to_idle() {
    for (std::size_t runner = 0; runner < at_.size() && !queue_.empty(); ++runner) {
      if (at_[runner].busy || !runners_.usable(runner)) continue;
      const auto group = at_[runner].last ? std::optional(at_[runner].last->group) : std::nullopt;
      at_[runner] = {queue_.next(group), true};
      ++running_;
      runners_.give(runner, {commands_[at_[runner].last->point], limit_s_});
    }
  }

  void take(const PointRunners::Report& report) {
    const plan::PointQueue::Next of = *at_[report.runner].last;
    at_[report.runner].busy = false;
    --running_;
    if (report.lost && lost_once_.insert(of.point).second) return queue_.put_back(of);
    trials_[of.point] = trial_of(report.output);
    ++ended_;
  }

  const std::vector<std::vector<std::string>>& commands_;
  PointRunners& runners_;
  std::int64_t limit_s_;
  plan::PointQueue queue_;
  std::vector<Assignment> at_;
  std::vector<Trial> trials_;
  std::set<std::size_t> lost_once_;
  std::size_t running_ = 0, ended_ = 0;
};

}  // namespace

std::vector<Trial> run_trials(const std::vector<std::vector<std::string>>& commands, PointRunners& runners,
                              std::int64_t limit_s, const std::atomic<bool>& stop,
                              const std::function<void(std::size_t)>& ended) {
  return TrialsRun(commands, runners, limit_s).run(stop, ended);
}

}  // namespace podsim::studies::sweep
