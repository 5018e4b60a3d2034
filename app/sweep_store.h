// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
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
  /// What becomes of points that are there.
  struct Policy {
    bool discard = false;      ///< those that are none of the study's: removed, else an error if they are done
    bool other_builds = true;  ///< those that another build of the program has run: they count
  };

  /// Takes in what shards have left, and points that were filed by an earlier text of the study. InputError as Policy
  /// and StudyFolder have it. `study` and `points` outlive it.
  SweepStore(const StudyPaths& paths, const workloads::Study& study, std::optional<Shard> shard,
             const std::vector<PreparedPoint>& points, Policy policy);

  /// Ids of points that need not run again.
  const std::set<std::string>& done() const { return done_; }
  /// Those of them that another build of the program has run.
  const std::set<std::string>& of_other_builds() const { return of_other_builds_; }
  void add(const workloads::PointRecord& point);
  /// Puts everything into the study's database, and its lines in order.
  void close();

 private:
  using Journal = workloads::StudyStore::Journal;

  std::unique_ptr<workloads::StudyStore> open(const std::filesystem::path& file, Journal journal) const;
  void settle(workloads::StudyStore& store);
  base::InputError strangers_there(std::size_t count, bool same_text) const;
  void take_over(workloads::StudyStore& store) const;
  void open_whole();
  void open_shard();

  StudyPaths paths_;
  const workloads::Study& study_;
  bool is_shard_;
  Policy policy_;
  std::string baseline_;
  std::map<std::string, const PreparedPoint*> wanted_;  ///< by id
  std::set<std::string> done_, of_other_builds_;
  StudyFolder folder_;
  std::unique_ptr<workloads::StudyStore> store_;
  std::ofstream lines_;
};

}  // namespace podsim::app
