// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/host/file_lock.h"
#include "base/host/output_folder.h"
#include "studies/plan/study.h"

namespace podsim::studies::sweep {

/// Part `number`, from 1, of the `of` sweeps that share the points of a study.
struct Shard {
  std::size_t number = 1, of = 1;
};
/// Parses "2/8"; throws InputError at --shard for anything else.
Shard parse_shard(const std::string& text);

/// The files that a sweep writes:
///
///   NAME.sqlite, NAME.jsonl          results (studies/store/study_store.h)
///   study.toml                       the study's file
///   shards/2-of-8.sqlite, .jsonl     results of a shard, until it adds them to NAME.sqlite
///   ops.cache                        costs of ops, shared by the points (sw/compiler/op_cache.h)
///   sweep.lock                       empty; locked by the sweeps that write
struct StudyPaths {
  StudyPaths(std::filesystem::path path, const plan::Study& study, std::optional<Shard> shard);

  std::filesystem::path folder;
  std::filesystem::path database, lines;          ///< of the whole study
  std::filesystem::path own_database, own_lines;  ///< those of the shard, if it is one; else the same
  std::filesystem::path shards;                   ///< folder of the shards' files
  std::filesystem::path op_cache;
};

/// The folder of a sweep, locked for it alone, or shared with the other shards of its study.
class StudyFolder {
 public:
  /// Creates the folder if necessary. Throws InputError if that fails, if another process has the folder or the shard,
  /// if the folder holds another study, and for a shard if it holds another text of this one.
  StudyFolder(const StudyPaths& paths, const plan::Study& study, std::optional<Shard> shard);

  /// Writes the text of the study's file to study.toml.
  void write_text(const plan::Study& study) const;

  /// Runs `body` while no other shard is in such a call. Creates the folder of shards before, and removes it afterwards
  /// if it is empty.
  void alone_among_shards(const std::function<void()>& body);

  /// Databases of shards that ended early; empty for a shard, because other shards may be using theirs.
  std::vector<std::filesystem::path> left_by_shards() const;
  /// Removes the database of a shard and the lines that go with it, once its points are in the study's database.
  void remove_shard(const std::filesystem::path& database) const;

 private:
  void lock(std::optional<Shard> shard);
  void require_no_other_study(const plan::Study& study) const;

  StudyPaths paths_;
  base::host::OutputFolder folder_;
  base::host::FileLock lock_;
  bool shared_;
};

}  // namespace podsim::studies::sweep
