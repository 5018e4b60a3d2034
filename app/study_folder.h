// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/file_lock.h"
#include "app/output_folder.h"
#include "workloads/study/study.h"

namespace podsim::app {

/// One of several sweeps that share the points of a study, from 1.
struct Shard {
  std::size_t number = 1, of = 1;
};
/// "2/8"; InputError at --shard for anything else.
Shard parse_shard(const std::string& text);

/// The names of what a sweep writes:
///
///   NAME.sqlite, NAME.jsonl          what was found (workloads/study/study_store.h)
///   study.toml                       the study's file
///   shards/2-of-8.sqlite, .jsonl     what a shard has found, until it puts that into NAME.sqlite
///   ops.cache                        what ops of cores cost, for points that share them (sw/compiler/op_cache.h)
///   sweep.lock                       empty: who writes
struct StudyPaths {
  StudyPaths(std::filesystem::path path, const workloads::Study& study, std::optional<Shard> shard);

  std::filesystem::path folder;
  std::filesystem::path database, lines;          ///< of the whole study
  std::filesystem::path own_database, own_lines;  ///< of the shard, if it is one; else the same
  std::filesystem::path shards;                   ///< the folder of those of shards
  std::filesystem::path op_cache;
};

/// The folder of a sweep, which has it alone, or with the other shards of its study.
class StudyFolder {
 public:
  /// Makes what is not there. InputError when that cannot be done, when somebody else has the folder or the shard, when
  /// it holds another study, and for a shard when it holds another text of this one.
  StudyFolder(const StudyPaths& paths, const workloads::Study& study, std::optional<Shard> shard);

  /// Keeps the study's file as it is.
  void write_text(const workloads::Study& study) const;

  /// While `body` runs no other shard is in its. The folder of shards is made before, and removed behind it where it is
  /// empty.
  void alone_among_shards(const std::function<void()>& body);

  /// Databases of shards that did not come to their end; none of a folder that shards have.
  std::vector<std::filesystem::path> left_by_shards() const;
  /// Removes the database of a shard, whose points are in that of the study, and the lines that go with it.
  void remove_shard(const std::filesystem::path& database) const;

 private:
  void lock(std::optional<Shard> shard);
  void require_no_other_study(const workloads::Study& study) const;

  StudyPaths paths_;
  OutputFolder folder_;
  FileLock lock_;
  bool shared_;
};

}  // namespace podsim::app
