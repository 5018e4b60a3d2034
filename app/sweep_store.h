// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/prepared_point.h"
#include "app/study_folder.h"
#include "workloads/study/study.h"
#include "workloads/study/study_store.h"

namespace podsim::app {

/// The folder of a sweep, its database and the lines that go with it, while points are added. A shard has a database of
/// its own until close().
class SweepStore {
 public:
  /// Takes in what shards have left. Points of the database that are not `points` (other inputs gave them) are removed
  /// if `discard` says so. InputError when it does not and there are done ones, and as StudyFolder does.
  SweepStore(const StudyPaths& paths, const workloads::Study& study, std::optional<Shard> shard,
             const std::vector<PreparedPoint>& points, bool discard);

  /// Ids of points that need not run again.
  const std::set<std::string>& done() const { return done_; }
  void add(const workloads::PointRecord& point);
  /// Puts everything into the study's database, and its lines in order.
  void close();

 private:
  using Journal = workloads::StudyStore::Journal;

  std::unique_ptr<workloads::StudyStore> open(const std::filesystem::path& file, Journal journal) const;
  void settle(workloads::StudyStore& store, bool discard);
  void open_whole(bool discard);
  void open_shard(bool discard);

  StudyPaths paths_;
  const workloads::Study& study_;
  bool is_shard_;
  std::string baseline_;
  std::set<std::string> wanted_, done_;
  StudyFolder folder_;
  std::unique_ptr<workloads::StudyStore> store_;
  std::ofstream lines_;
};

}  // namespace podsim::app
