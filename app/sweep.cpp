// SPDX-License-Identifier: Apache-2.0
#include "app/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/interrupt.h"
#include "app/prepared_point.h"
#include "app/standard_output.h"
#include "app/sweep_run.h"
#include "app/sweep_store.h"
#include "app/sweep_summary.h"
#include "base/diagnostic.h"
#include "workloads/study/point_queue.h"

namespace podsim::app {
namespace {

using Selection = std::vector<const PreparedPoint*>;

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

workloads::Study read(const SweepOptions& options) {
  workloads::Study study = workloads::read_study(options.study);
  if (!options.yes) workloads::require_moderate_size(study);
  return study;
}

Selection selected(const std::vector<PreparedPoint>& points, std::optional<Shard> shard) {
  std::vector<std::string> keys;
  for (const PreparedPoint& point : points) keys.push_back(point.program_key);
  Selection selection;
  const Shard part = shard.value_or(Shard());
  for (std::size_t point : workloads::points_of_part(keys, part.number - 1, part.of)) {
    selection.push_back(&points[point]);
  }
  return selection;
}

void require_begun(const StudyPaths& paths) {
  if (is_there(paths.database) || is_there(paths.shards)) return;
  locate_errors("--resume", paths.folder.string(),
                [] { throw base::InputError("there is no sweep to go on with", "without --resume it begins"); });
}

int list_points(const SweepOptions& options, const StudyPaths& paths, const Selection& points) {
  std::set<std::string> done_before;
  if (is_there(paths.database)) {
    workloads::require_study(paths.database);
    done_before = workloads::points_done(paths.database);
  }
  print_result(options.json ? points_json(points, done_before) : points_text(points, done_before));
  return done;
}

std::vector<std::string> warnings(const Selection& points, const SweepStore& store) {
  const auto count =
      std::ranges::count_if(points, [&](const PreparedPoint* p) { return store.of_other_builds().contains(p->id); });
  if (count == 0) return {};
  return {
      fmt::format("another build of podsim ran {} of the points that are done, and its model may differ; --rerun "
                  "runs them again",
                  count)};
}

}  // namespace

int run_sweep(const SweepOptions& options, const MakeRunners& make_runners) {
  const workloads::Study study = read(options);
  const std::vector<PreparedPoint> points = prepare_points(study);
  const Selection mine = selected(points, options.shard);
  const StudyPaths paths(options.output.empty() ? study.name : options.output, study, options.shard);
  if (options.resume) require_begun(paths);
  if (options.dry_run) return list_points(options, paths, mine);

  const std::atomic<bool>& stop = watch_for_interrupt();
  SweepStore store(paths, study, options.shard, points, {options.yes, !options.rerun});
  Selection todo;
  for (const PreparedPoint* point : mine) {
    if (!store.done().contains(point->id)) todo.push_back(point);
  }
  SweepSummary summary{study, paths, mine.size(), mine.size() - todo.size(), warnings(mine, store), {}};
  if (!options.json) {
    for (const std::string& warning : summary.warnings) std::fputs(("warning: " + warning + "\n").c_str(), stderr);
  }
  if (!todo.empty()) {
    summary.outcome =
        run_points(study, todo, paths.op_cache, options.timeout_s, *make_runners(todo.size()), store, stop);
  }
  store.close();
  print_result(options.json ? summary_json(summary) : summary_text(summary));
  if (summary.outcome.stopped) return interrupted;
  return summary.outcome.failed.empty() ? done : some_failed;
}

}  // namespace podsim::app
