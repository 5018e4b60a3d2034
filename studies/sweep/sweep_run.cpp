// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/host/host_clock.h"
#include "studies/sweep/command_run.h"
#include "studies/sweep/sweep_progress.h"
#include "workloads/importers/importer.h"

namespace podsim::studies::sweep {
namespace {

class PointsRun {
 public:
  PointsRun(const plan::Study& study, const std::vector<const PreparedPoint*>& points, SweepStore& store)
      : points_(points), store_(store), recorder_(study), progress_(points.size()) {}

  SweepOutcome run(const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                   const std::atomic<bool>& stop) {
    const auto begin = base::host::HostClock::now();
    std::vector<std::vector<std::string>> commands;
    for (const PreparedPoint* point : points_) commands.push_back(with_op_cache(point->point.arguments, op_cache));
    const CommandWatch watch{
        .ended = [this](std::size_t position,
                        const base::host::ProcessOutput& output) { store(*points_[position], output); },
        .waited = [this] { progress_.update(outcome_.done, outcome_.failed.size()); }};
    outcome_.stopped = !run_commands(commands, runners, limit_s, stop, watch);
    std::ranges::sort(outcome_.failed, {}, &FailedPoint::position);
    outcome_.wall_s = base::host::seconds_since(begin);
    return std::move(outcome_);
  }

 private:
  /// Adds the cache to the words of a training step; other commands stay as they are.
  static std::vector<std::string> with_op_cache(std::vector<std::string> words, const std::filesystem::path& op_cache) {
    const bool has_step = words.size() > 1 && (words[0] == "run" || words[0] == "train");
    const bool is_step = has_step && workloads::importers::is_step(words[1]);
    if (is_step) words.insert(words.end(), {"--op-cache", op_cache.string()});
    return words;
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
  SweepStore& store_;
  PointRecorder recorder_;
  SweepProgress progress_;
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_points(const plan::Study& study, const std::vector<const PreparedPoint*>& points,
                        const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                        SweepStore& store, const std::atomic<bool>& stop) {
  return PointsRun(study, points, store).run(op_cache, limit_s, runners, stop);
}

}  // namespace podsim::studies::sweep
