// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "studies/store/sqlite_database.h"
#include "studies/sweep/trials.h"

namespace podsim::studies::search {

/// What a search is of: two with equal texts visit the same points.
struct SearchIdentity {
  std::string command;  ///< the step as it is given, quoted for a shell
  std::string content;  ///< hash of the machine, of the files that the command names, and of the program's build
};

/// The points that a search has visited, in SQLite:
///
///   search(key, value)     schema_version, command, content
///   points(command, position, description, estimate_s, exit_code, error, figures)   figures: --json of those that ran
///
/// A point that was given up after a time limit is run again. A point is kept as soon as it has ended, without what it
/// took on this host, so that a search that is killed goes on where it was. `position` is its number in the order in
/// which a search visits points, however many run at a time.
class VisitedStore {
 public:
  /// Opens or creates the file. InputError if it has a search of something else.
  VisitedStore(const std::filesystem::path& file, const SearchIdentity& identity);

  /// The trial of a command line that has been visited; null: none.
  const sweep::Trial* find(const std::string& command) const;
  void add(std::int64_t position, const std::string& command, const std::string& description,
           std::optional<double> estimate_s, sweep::Trial trial);

 private:
  void check(const SearchIdentity& identity);
  void read();

  store::SqliteDatabase database_;
  std::map<std::string, sweep::Trial> visited_;
};

}  // namespace podsim::studies::search
