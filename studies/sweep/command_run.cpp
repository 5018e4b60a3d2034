// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/command_run.h"

#include <optional>
#include <set>

#include "base/diagnostic.h"
#include "studies/plan/point_queue.h"

namespace podsim::studies::sweep {
namespace {

std::vector<std::string> keys_of(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> keys;
  for (const std::vector<std::string>& words : commands) keys.push_back(plan::program_key(words));
  return keys;
}

class CommandsRun {
 public:
  CommandsRun(const std::vector<std::vector<std::string>>& commands, PointRunners& runners, std::int64_t limit_s,
              const CommandWatch& watch)
      : commands_(commands),
        runners_(runners),
        limit_s_(limit_s),
        watch_(watch),
        queue_(keys_of(commands)),
        at_(runners.size()) {}

  bool run(const std::atomic<bool>& stop) {
    give_to_idle();
    while (running_ > 0 && !stop) {
      for (const PointRunners::Report& report : runners_.wait()) take(report);
      give_to_idle();
      watch_.waited();
    }
    const bool all = running_ == 0 && queue_.empty();
    if (!all && !stop) throw base::SimulationError("no process is left to run the rest");
    return all;
  }

 private:
  /// The current or last command of a runner.
  struct Assignment {
    std::optional<plan::PointQueue::Next> last;
    bool busy = false;
  };

  void give(std::size_t runner) {
    if (!runners_.usable(runner)) return;
    const auto group = at_[runner].last ? std::optional(at_[runner].last->group) : std::nullopt;
    const auto next = queue_.next(group);
    if (!next) return;
    at_[runner] = {next, true};
    ++running_;
    runners_.give(runner, {commands_[next->point], limit_s_});
  }

  /// A command may have returned to the queue after runners found it empty.
  void give_to_idle() {
    for (std::size_t runner = 0; runner < at_.size() && !queue_.empty(); ++runner) {
      if (!at_[runner].busy) give(runner);
    }
  }

  void take(const PointRunners::Report& report) {
    const plan::PointQueue::Next of = *at_[report.runner].last;
    at_[report.runner].busy = false;
    --running_;
    if (report.lost && lost_once_.insert(of.point).second) return queue_.put_back(of);
    give(report.runner);  // which need not wait for what follows
    watch_.ended(of.point, report.output);
  }

  const std::vector<std::vector<std::string>>& commands_;
  PointRunners& runners_;
  std::int64_t limit_s_;
  const CommandWatch& watch_;
  plan::PointQueue queue_;
  std::vector<Assignment> at_;
  std::set<std::size_t> lost_once_;
  std::size_t running_ = 0;
};

}  // namespace

bool run_commands(const std::vector<std::vector<std::string>>& commands, PointRunners& runners, std::int64_t limit_s,
                  const std::atomic<bool>& stop, const CommandWatch& watch) {
  return CommandsRun(commands, runners, limit_s, watch).run(stop);
}

}  // namespace podsim::studies::sweep
