// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_run.h"

#include <algorithm>
#include <functional>
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
  /// `points` is the number to run in all. `ended` gets every record that was stored.
  PointsRun(const plan::Study& study, std::size_t points, SweepStore& store,
            std::function<void(const store::PointRecord&)> ended)
      : store_(store), recorder_(study), progress_(points), ended_(std::move(ended)) {}

  void run(const std::vector<const PreparedPoint*>& points, const std::filesystem::path& op_cache, std::int64_t limit_s,
           PointRunners& runners, const std::atomic<bool>& stop) {
    std::vector<std::vector<std::string>> commands;
    for (const PreparedPoint* point : points) commands.push_back(with_op_cache(point->point.arguments, op_cache));
    const CommandWatch watch{
        .ended = [&](std::size_t position,
                     const base::host::ProcessOutput& output) { store(*points[position], output); },
        .waited = [this] { progress_.update(outcome_.done, outcome_.failed.size()); }};
    outcome_.stopped = !run_commands(commands, runners, limit_s, stop, watch);
  }

  bool stopped() const { return outcome_.stopped; }
  SweepOutcome outcome() {
    std::ranges::sort(outcome_.failed, {}, &FailedPoint::position);
    outcome_.wall_s = base::host::seconds_since(begin_);
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
    ended_(record);
  }

  SweepStore& store_;
  PointRecorder recorder_;
  SweepProgress progress_;
  std::function<void(const store::PointRecord&)> ended_;
  base::host::HostClock::time_point begin_ = base::host::HostClock::now();
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_points(const plan::Study& study, const std::vector<const PreparedPoint*>& points,
                        const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                        SweepStore& store, const std::atomic<bool>& stop) {
  PointsRun run(study, points.size(), store, [](const store::PointRecord&) {});
  run.run(points, op_cache, limit_s, runners, stop);
  return run.outcome();
}

SweepOutcome run_search(const plan::Study& study, SearchPoints& search, const std::filesystem::path& op_cache,
                        std::int64_t limit_s, PointRunners& runners, SweepStore& store, const std::atomic<bool>& stop) {
  PointsRun run(study, search.planned() - search.answered(), store,
                [&](const store::PointRecord& record) { search.answer(record); });
  for (std::vector<const PreparedPoint*> batch = search.next(); !batch.empty() && !run.stopped();
       batch = search.next()) {
    run.run(batch, op_cache, limit_s, runners, stop);
    if (run.stopped()) break;
  }
  return run.outcome();
}

}  // namespace podsim::studies::sweep
