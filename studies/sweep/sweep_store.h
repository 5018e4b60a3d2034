// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/host/appended_file.h"
#include "studies/plan/study.h"
#include "studies/store/study_store.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/search_points.h"
#include "studies/sweep/study_folder.h"

namespace podsim::studies::sweep {

/// The folder of a sweep with its database and its file of JSON lines, while points are added. A shard has a separate
/// database until close().
class SweepStore {
 public:
  /// Treatment of the stored points.
  struct Policy {
    bool discard = false;      ///< points outside the study are removed; else they are an error if they are done
    bool other_builds = true;  ///< points that another build of the program ran count as done
  };

  /// Merges the points that shards have left, and converts points that were stored under an earlier text of the study.
  /// Throws InputError as described at Policy and StudyFolder. `study` and `points` must outlive it.
  SweepStore(const StudyPaths& paths, const plan::Study& study, std::optional<Shard> shard,
             const std::vector<PreparedPoint>& points, Policy policy);

  /// For a search: first gives it the stored results, as far as they go. Stored points that it does not choose then are
  /// outside the study. Without `other_builds` the search forgets all that other builds ran, after that.
  SweepStore(const StudyPaths& paths, const plan::Study& study, SearchPoints& search, Policy policy);

  /// Ids of the points that need not run again.
  const std::set<std::string>& done() const { return done_; }
  /// Ids of those points in done() that another build of the program ran.
  const std::set<std::string>& of_other_builds() const { return of_other_builds_; }
  void add(const store::PointRecord& point);
  /// Moves all points into the study's database and rewrites its lines in order.
  void close();
  /// As close(), at the end of a search: `ended` if it has chosen all of its points. What other builds ran and the
  /// search no longer chooses is then removed.
  void close(const SearchPoints& search, bool ended);

 private:
  using Journal = store::StudyStore::Journal;

  std::unique_ptr<store::StudyStore> open(const std::filesystem::path& file, Journal journal) const;
  void begin_lines();
  void settle(store::StudyStore& store);
  base::InputError strangers_there(std::size_t count, bool same_text) const;
  void take_over(store::StudyStore& store) const;
  void open_whole();
  void open_shard();

  StudyPaths paths_;
  const plan::Study& study_;
  bool is_shard_;
  Policy policy_;
  std::string baseline_;
  std::map<std::string, const PreparedPoint*> wanted_;  ///< by id
  std::set<std::string> done_, of_other_builds_;
  StudyFolder folder_;
  std::unique_ptr<store::StudyStore> store_;
  std::optional<base::host::AppendedFile> lines_;
};

}  // namespace podsim::studies::sweep
