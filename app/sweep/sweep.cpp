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
#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/search_points.h"
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
  if (!options.yes && !study.search) studies::plan::require_moderate_size(study);
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

std::set<std::string> done_before_in(const studies::sweep::StudyPaths& paths) {
  if (!is_there(paths.database)) return {};
  studies::store::require_study(paths.database);
  return studies::store::points_done(paths.database);
}

int list_points(const SweepOptions& options, const studies::sweep::StudyPaths& paths, const Selection& points) {
  const std::set<std::string> done_before = done_before_in(paths);
  base::host::print_result(options.json ? studies::sweep::points_json(points, done_before)
                                        : studies::sweep::points_text(points, done_before));
  return base::host::done;
}

std::vector<std::string> warnings(const studies::plan::Study& study, const std::vector<std::string>& ids,
                                  const studies::sweep::SweepStore& store) {
  std::vector<std::string> all = studies::plan::axes_without_effect(study);
  const auto count =
      std::ranges::count_if(ids, [&](const std::string& id) { return store.of_other_builds().contains(id); });
  if (count > 0) {
    all.push_back(
        fmt::format("another build of podsim ran {} of the points that are done, and its model may differ; --rerun "
                    "runs them again",
                    count));
  }
  return all;
}

void print_warnings(const SweepOptions& options, const std::vector<std::string>& warnings) {
  if (options.json) return;
  for (const std::string& warning : warnings) base::host::print_warning(warning);
}

int print_summary(const SweepOptions& options, const studies::sweep::SweepSummary& summary) {
  base::host::print_result(options.json ? studies::sweep::summary_json(summary)
                                        : studies::sweep::summary_text(summary));
  if (summary.outcome.stopped) return base::host::interruption_code();
  if (summary.search != nullptr && !summary.search->stalled() && summary.search->any_done()) return base::host::done;
  return summary.outcome.failed.empty() ? base::host::done : base::host::some_failed;
}

int run_grid(const SweepOptions& options, const studies::plan::Study& study, const MakeRunners& make_runners) {
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
  std::vector<std::string> ids;
  for (const studies::sweep::PreparedPoint* point : mine) {
    ids.push_back(point->id);
    if (!store.done().contains(point->id)) todo.push_back(point);
  }
  studies::sweep::SweepSummary summary{
      study, paths, mine.size(), mine.size() - todo.size(), warnings(study, ids, store), {}};
  print_warnings(options, summary.warnings);
  if (!todo.empty()) {
    summary.outcome = studies::sweep::run_points(study, todo, paths.op_cache, options.timeout_s,
                                                 *make_runners(todo.size()), store, stop);
  }
  base::host::protect_results();
  store.close();
  return print_summary(options, summary);
}

/// Lists the points that the stored results determine, with the batch that runs next.
int list_search(const SweepOptions& options, const studies::sweep::StudyPaths& paths,
                studies::sweep::SearchPoints& search) {
  if (is_there(paths.database)) {
    studies::store::require_study(paths.database);
    const studies::store::SqliteDatabase database(paths.database, studies::store::SqliteDatabase::Access::read);
    search.replay([&](const std::string& id) { return studies::store::run_of(database, id); });
  }
  Selection points;
  for (const studies::sweep::PreparedPoint& point : search.points()) points.push_back(&point);
  const int code = list_points(options, paths, points);
  if (search.planned() > points.size() && !options.json) {
    base::host::print_result("The search chooses further points by the results of these.\n");
  }
  return code;
}

int run_search(const SweepOptions& options, const studies::plan::Study& study, const MakeRunners& make_runners) {
  if (options.shard) {
    base::host::locate_errors("--shard", fmt::format("{}/{}", options.shard->number, options.shard->of), [] {
      throw base::InputError(
          "a search cannot be run in shards: each of its points depends on the results of all before",
          "-j, or the ranks of podsim-mpi, run its batches in parallel");
    });
  }
  studies::sweep::SearchPoints search(study);
  search.begin();
  const studies::sweep::StudyPaths paths(options.output.empty() ? study.name : options.output, study, std::nullopt);
  if (options.resume) require_begun(paths);
  if (options.dry_run) {
    for (const std::string& warning : studies::plan::axes_without_effect(study)) base::host::print_warning(warning);
    return list_search(options, paths, search);
  }

  const std::atomic<bool>& stop = base::host::watch_for_interrupt();
  studies::sweep::SweepStore store(paths, study, search, {options.yes, !options.rerun});
  std::vector<std::string> ids;
  for (const studies::sweep::PreparedPoint& point : search.points()) ids.push_back(point.id);
  const std::size_t refused = search.refused_runs();
  studies::sweep::SweepSummary summary{study, paths,   0,      search.answered() - refused, warnings(study, ids, store),
                                       {},    &search, refused};
  print_warnings(options, summary.warnings);
  if (const std::size_t open = search.next().size(); open > 0) {
    const std::size_t left = std::max(open, search.planned() - search.answered());
    summary.outcome =
        studies::sweep::run_search(study, search, paths.op_cache, options.timeout_s, *make_runners(left), store, stop);
  }
  base::host::protect_results();
  const bool ended = !summary.outcome.stopped && !search.stalled();
  summary.points = ended ? search.points().size() : search.planned();
  store.close(search, ended);
  return print_summary(options, summary);
}

}  // namespace

int run_sweep(const SweepOptions& options, const MakeRunners& make_runners) {
  const studies::plan::Study study = read(options);
  return study.search ? run_search(options, study, make_runners) : run_grid(options, study, make_runners);
}

}  // namespace podsim::app::sweep
