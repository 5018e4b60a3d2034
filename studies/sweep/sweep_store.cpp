// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/output_file.h"
#include "base/text/counted.h"
#include "base/version.h"

namespace podsim::studies::sweep {
namespace {

template <class Points>
std::string baseline_id(const plan::Study& study, const Points& points) {
  std::vector<plan::StudyPoint> bare;
  for (const PreparedPoint& point : points) bare.push_back(point.point);
  const std::int64_t position = plan::baseline_position(study, bare);
  const auto found =
      std::ranges::find(points, position, [](const PreparedPoint& point) { return point.point.position; });
  return found == points.end() ? "" : found->id;
}

}  // namespace

SweepStore::SweepStore(const StudyPaths& paths, const plan::Study& study, std::optional<Shard> shard,
                       const std::vector<PreparedPoint>& points, Policy policy)
    : paths_(paths),
      study_(study),
      is_shard_(shard.has_value()),
      policy_(policy),
      baseline_(baseline_id(study, points)),
      folder_(paths, study, shard) {
  for (const PreparedPoint& point : points) wanted_[point.id] = &point;
  is_shard_ ? open_shard() : open_whole();
  begin_lines();
}

SweepStore::SweepStore(const StudyPaths& paths, const plan::Study& study, SearchPoints& search, Policy policy)
    : paths_(paths), study_(study), is_shard_(false), policy_(policy), folder_(paths, study, std::nullopt) {
  store_ = open(paths_.database, Journal::log);
  const auto stored = [this](const std::string& id) { return store_->run_of(id); };
  search.replay(stored);
  for (const PreparedPoint& point : search.points()) wanted_[point.id] = &point;
  baseline_ = baseline_id(study, search.points());
  store_.reset();
  open_whole();
  begin_lines();
  wanted_.clear();
  if (policy_.other_builds) return;
  search.restart();
  search.replay([&](const std::string& id) {
    return done_.contains(id) ? store_->run_of(id) : std::optional<store::PointRecord>();
  });
}

void SweepStore::begin_lines() {
  base::host::write_file(paths_.own_lines, store::study_lines(paths_.own_database));
  lines_.emplace(paths_.own_lines);
}

std::unique_ptr<store::StudyStore> SweepStore::open(const std::filesystem::path& file, Journal journal) const {
  return std::make_unique<store::StudyStore>(file, study_, base::program_version, baseline_, journal);
}

/// Removes stored points outside the study, collects the done ones, and brings the description up to date.
void SweepStore::settle(store::StudyStore& store) {
  const std::string build = base::short_build_id();
  std::vector<std::string> strangers;
  std::size_t strangers_done = 0;
  for (const auto& [id, state] : store.points()) {
    if (!wanted_.contains(id)) {
      strangers.push_back(id);
      strangers_done += state.done ? 1 : 0;
    } else if (state.done && (policy_.other_builds || state.build == build)) {
      done_.insert(id);
      of_other_builds_.erase(id);
      if (state.build != build) of_other_builds_.insert(id);
    }
  }
  if (strangers_done > 0 && !policy_.discard) throw strangers_there(strangers_done, store.is_of(study_));
  store.remove(strangers);
  store.is_of(study_) ? store.describe(study_, base::program_version, baseline_) : take_over(store);
}

base::InputError SweepStore::strangers_there(std::size_t count, bool same_text) const {
  return base::InputError(
      fmt::format("{} in '{}' {} the study's: {}the program, a machine or a file that it names has changed",
                  base::text::counted(std::int64_t(count), "point"), paths_.folder.string(),
                  count == 1 ? "is not" : "are none of", same_text ? "" : "its text, "),
      "--yes removes them and runs what is missing; or choose another folder with -o");
}

void SweepStore::take_over(store::StudyStore& store) const {
  PointRecorder recorder(study_);
  store.take_over(study_, base::program_version, baseline_, [&](store::PointRecord run) {
    const PreparedPoint& point = *wanted_.at(run.id);
    return recorder.renewed(point, std::move(run));
  });
}

void SweepStore::open_whole() {
  store_ = open(paths_.database, Journal::log);
  settle(*store_);
  for (const std::filesystem::path& left : folder_.left_by_shards()) {
    settle(*open(left, Journal::rollback));
    store_->add_all(left);
    folder_.remove_shard(left);
  }
  std::error_code ignored;
  std::filesystem::remove(paths_.shards, ignored);  // fails if something else is in it
  folder_.write_text(study_);
}

void SweepStore::open_shard() {
  folder_.alone_among_shards([&] {
    std::error_code ignored;
    for (const std::filesystem::path& file : {paths_.database, paths_.own_database}) {
      if (std::filesystem::exists(file, ignored)) store::require_same_text(file, study_);
    }
    if (std::filesystem::exists(paths_.database, ignored)) settle(*open(paths_.database, Journal::rollback));
    store_ = open(paths_.own_database, Journal::log);
    folder_.write_text(study_);
  });
  settle(*store_);
}

void SweepStore::add(const store::PointRecord& point) {
  store_->add(point);
  lines_->append(store::point_line(point));
}

void SweepStore::close() {
  store_.reset();
  lines_.reset();
  if (is_shard_) {
    folder_.alone_among_shards([&] {
      open(paths_.database, Journal::rollback)->add_all(paths_.own_database);
      folder_.remove_shard(paths_.own_database);
      base::host::write_file(paths_.lines, store::study_lines(paths_.database));
    });
  } else {
    base::host::write_file(paths_.lines, store::study_lines(paths_.database));
  }
}

void SweepStore::close(const SearchPoints& search, bool ended) {
  std::set<std::string> chosen;
  for (const PreparedPoint& point : search.points()) chosen.insert(point.id);
  std::vector<std::string> left;
  for (const auto& [id, state] : store_->points()) {
    if (!chosen.contains(id)) left.push_back(id);
  }
  if (ended) store_->remove(left);
  store_->describe(study_, base::program_version, baseline_id(study_, search.points()));
  close();
}

}  // namespace podsim::studies::sweep
