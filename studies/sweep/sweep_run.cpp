// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_run.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "studies/plan/point_queue.h"
#include "studies/sweep/sweep_progress.h"
#include "workloads/importers/importer.h"

namespace podsim::studies::sweep {
namespace {

std::vector<std::string> program_keys(const std::vector<const PreparedPoint*>& points) {
  std::vector<std::string> keys;
  for (const PreparedPoint* point : points) keys.push_back(point->program_key);
  return keys;
}

class PointsRun {
 public:
  PointsRun(const plan::Study& study, const std::vector<const PreparedPoint*>& points,
            const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners, SweepStore& store)
      : points_(points),
        op_cache_(op_cache),
        limit_s_(limit_s),
        runners_(runners),
        store_(store),
        recorder_(study),
        queue_(program_keys(points)),
        at_(runners.size()),
        progress_(points.size()) {}

  SweepOutcome run(const std::atomic<bool>& stop) {
    const auto begin = base::host::HostClock::now();
    for (std::size_t runner = 0; runner < at_.size(); ++runner) give(runner);
    while (running_ > 0 && !stop) {
      for (const PointRunners::Report& report : runners_.wait()) take(report);
      give_to_idle();
      progress_.update(outcome_.done, outcome_.failed.size());
    }
    outcome_.stopped = running_ > 0 || !queue_.empty();
    if (outcome_.stopped && !stop) throw base::SimulationError("nobody is left to run the points of the study");
    std::ranges::sort(outcome_.failed, {}, &FailedPoint::position);
    outcome_.wall_s = base::host::seconds_since(begin);
    return std::move(outcome_);
  }

 private:
  /// The current or last point of a runner.
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
    runners_.give(runner, {with_op_cache(points_[next->point]->point.arguments), limit_s_});
  }

  /// Adds the cache to the words of a training step; other commands stay as they are.
  std::vector<std::string> with_op_cache(std::vector<std::string> words) const {
    const bool has_step = words.size() > 1 && (words[0] == "run" || words[0] == "train");
    const bool is_step = has_step && workloads::importers::is_step(words[1]);
    if (is_step) words.insert(words.end(), {"--op-cache", op_cache_.string()});
    return words;
  }

  /// Gives points to idle runners: a point may have returned to the queue after they found it empty.
  void give_to_idle() {
    for (std::size_t runner = 0; runner < at_.size() && !queue_.empty(); ++runner) {
      if (!at_[runner].busy) give(runner);
    }
  }

  void take(const PointRunners::Report& report) {
    const plan::PointQueue::Next ended = *at_[report.runner].last;
    at_[report.runner].busy = false;
    --running_;
    if (report.lost && lost_once_.insert(ended.point).second) return queue_.put_back(ended);
    give(report.runner);  // the runner need not wait while the point is stored
    store(*points_[ended.point], report.output);
  }

  void store(const PreparedPoint& point, const base::host::ProcessOutput& output) {
    const store::PointRecord record = recorder_.record(point, output);
    store_.add(record);
    outcome_.op_hits += record.host.op_hits;
    outcome_.op_misses += record.host.op_misses;
    if (record.done) {
      ++outcome_.done;
    } else {
      outcome_.failed.push_back({record.position, record.exit_code, record.error});
    }
  }

  const std::vector<const PreparedPoint*>& points_;
  const std::filesystem::path& op_cache_;
  std::int64_t limit_s_;
  PointRunners& runners_;
  SweepStore& store_;
  PointRecorder recorder_;
  plan::PointQueue queue_;
  std::vector<Assignment> at_;
  std::set<std::size_t> lost_once_;
  std::size_t running_ = 0;
  SweepProgress progress_;
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_points(const plan::Study& study, const std::vector<const PreparedPoint*>& points,
                        const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                        SweepStore& store, const std::atomic<bool>& stop) {
  return PointsRun(study, points, op_cache, limit_s, runners, store).run(stop);
}

}  // namespace podsim::studies::sweep
