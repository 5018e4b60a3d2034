// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "app/version.h"
#include "base/atomic_file.h"
#include "base/diagnostic.h"

namespace podsim::app {
namespace {

std::string baseline_id(const workloads::Study& study, const std::vector<PreparedPoint>& points) {
  std::vector<workloads::StudyPoint> bare;
  for (const PreparedPoint& point : points) bare.push_back(point.point);
  const std::int64_t position = workloads::baseline_position(study, bare);
  const auto found =
      std::ranges::find(points, position, [](const PreparedPoint& point) { return point.point.position; });
  return found == points.end() ? "" : found->id;
}

}  // namespace

SweepStore::SweepStore(const StudyPaths& paths, const workloads::Study& study, std::optional<Shard> shard,
                       const std::vector<PreparedPoint>& points, bool discard)
    : paths_(paths),
      study_(study),
      is_shard_(shard.has_value()),
      baseline_(baseline_id(study, points)),
      folder_(paths, study, shard) {
  for (const PreparedPoint& point : points) wanted_.insert(point.id);
  is_shard_ ? open_shard(discard) : open_whole(discard);
  base::write_file(paths_.own_lines, workloads::study_lines(paths_.own_database));
  lines_.open(paths_.own_lines, std::ios::binary | std::ios::app);
}

std::unique_ptr<workloads::StudyStore> SweepStore::open(const std::filesystem::path& file, Journal journal) const {
  return std::make_unique<workloads::StudyStore>(file, study_, program_version, baseline_, journal);
}

/// Points of other inputs go, the others count.
void SweepStore::settle(workloads::StudyStore& store, bool discard) {
  std::vector<std::string> strangers;
  std::size_t strangers_done = 0;
  for (const auto& [id, is_done] : store.points()) {
    if (wanted_.contains(id)) {
      if (is_done) done_.insert(id);
    } else {
      strangers.push_back(id);
      strangers_done += is_done ? 1 : 0;
    }
  }
  if (strangers_done > 0 && !discard) {
    throw base::InputError(
        fmt::format("{} points in '{}' are of other inputs: the program, a machine or a file that the study names has "
                    "changed",
                    strangers_done, paths_.folder.string()),
        "--yes removes them and runs the points anew; or choose another folder with -o");
  }
  store.remove(strangers);
  store.describe(study_, program_version, baseline_);
}

void SweepStore::open_whole(bool discard) {
  store_ = open(paths_.database, Journal::log);
  for (const std::filesystem::path& left : folder_.left_by_shards()) {
    workloads::require_same_study(left, study_);
    store_->add_all(left);
    folder_.remove_shard(left);
  }
  settle(*store_, discard);
}

void SweepStore::open_shard(bool discard) {
  folder_.alone_among_shards([&] {
    std::error_code ignored;
    if (std::filesystem::exists(paths_.database, ignored)) settle(*open(paths_.database, Journal::rollback), discard);
    store_ = open(paths_.own_database, Journal::log);
  });
  settle(*store_, discard);
}

void SweepStore::add(const workloads::PointRecord& point) {
  store_->add(point);
  lines_ << workloads::point_line(point) << std::flush;
}

void SweepStore::close() {
  store_.reset();
  lines_.close();
  if (is_shard_) {
    folder_.alone_among_shards([&] {
      open(paths_.database, Journal::rollback)->add_all(paths_.own_database);
      folder_.remove_shard(paths_.own_database);
      base::write_file(paths_.lines, workloads::study_lines(paths_.database));
    });
  } else {
    base::write_file(paths_.lines, workloads::study_lines(paths_.database));
  }
}

}  // namespace podsim::app
