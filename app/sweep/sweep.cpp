// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "studies/plan/axes_without_effect.h"
#include "studies/plan/point_queue.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/sweep_run.h"
#include "studies/sweep/sweep_store.h"
#include "studies/sweep/sweep_summary.h"

namespace podsim::app::sweep {
namespace {

using Selection = std::vector<const studies::sweep::PreparedPoint*>;

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

studies::plan::Study read(const SweepOptions& options) {
  studies::plan::Study study = studies::plan::read_study(options.study);
  if (!options.yes) studies::plan::require_moderate_size(study);
  return study;
}

Selection selected(const std::vector<studies::sweep::PreparedPoint>& points,
                   std::optional<studies::sweep::Shard> shard) {
  std::vector<std::string> keys;
  for (const studies::sweep::PreparedPoint& point : points) keys.push_back(point.program_key);
  Selection selection;
  const studies::sweep::Shard part = shard.value_or(studies::sweep::Shard());
  for (std::size_t point : studies::plan::points_of_part(keys, part.number - 1, part.of)) {
    selection.push_back(&points[point]);
  }
  return selection;
}

void require_begun(const studies::sweep::StudyPaths& paths) {
  if (is_there(paths.database) || is_there(paths.shards)) return;
  base::host::locate_errors("--resume", paths.folder.string(), [] {
    throw base::InputError("there is no sweep to go on with", "without --resume it begins");
  });
}

int list_points(const SweepOptions& options, const studies::sweep::StudyPaths& paths, const Selection& points) {
  std::set<std::string> done_before;
  if (is_there(paths.database)) {
    studies::store::require_study(paths.database);
    done_before = studies::store::points_done(paths.database);
  }
  base::host::print_result(options.json ? studies::sweep::points_json(points, done_before)
                                        : studies::sweep::points_text(points, done_before));
  return base::host::done;
}

std::vector<std::string> warnings(const studies::plan::Study& study, const Selection& points,
                                  const studies::sweep::SweepStore& store) {
  std::vector<std::string> all = studies::plan::axes_without_effect(study);
  const auto count = std::ranges::count_if(
      points, [&](const studies::sweep::PreparedPoint* p) { return store.of_other_builds().contains(p->id); });
  if (count > 0) {
    all.push_back(
        fmt::format("another build of podsim ran {} of the points that are done, and its model may differ; --rerun "
                    "runs them again",
                    count));
  }
  return all;
}

}  // namespace

int run_sweep(const SweepOptions& options, const MakeRunners& make_runners) {
  const studies::plan::Study study = read(options);
  const std::vector<studies::sweep::PreparedPoint> points = studies::sweep::prepare_points(study);
  const Selection mine = selected(points, options.shard);
  const studies::sweep::StudyPaths paths(options.output.empty() ? study.name : options.output, study, options.shard);
  if (options.resume) require_begun(paths);
  if (options.dry_run) {
    for (const std::string& warning : studies::plan::axes_without_effect(study)) base::host::print_warning(warning);
    return list_points(options, paths, mine);
  }

  const std::atomic<bool>& stop = base::host::watch_for_interrupt();
  studies::sweep::SweepStore store(paths, study, options.shard, points, {options.yes, !options.rerun});
  Selection todo;
  for (const studies::sweep::PreparedPoint* point : mine) {
    if (!store.done().contains(point->id)) todo.push_back(point);
  }
  studies::sweep::SweepSummary summary{
      study, paths, mine.size(), mine.size() - todo.size(), warnings(study, mine, store), {}};
  if (!options.json) {
    for (const std::string& warning : summary.warnings) base::host::print_warning(warning);
  }
  if (!todo.empty()) {
    summary.outcome = studies::sweep::run_points(study, todo, paths.op_cache, options.timeout_s,
                                                 *make_runners(todo.size()), store, stop);
  }
  base::host::protect_results();
  store.close();
  base::host::print_result(options.json ? studies::sweep::summary_json(summary)
                                        : studies::sweep::summary_text(summary));
  if (summary.outcome.stopped) return base::host::interruption_code();
  return summary.outcome.failed.empty() ? base::host::done : base::host::some_failed;
}

}  // namespace podsim::app::sweep
