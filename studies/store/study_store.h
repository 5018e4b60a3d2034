// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "studies/plan/study.h"
#include "studies/store/sqlite_database.h"

/// The database of a study, in SQLite, with one transaction per point. docs/studies.md describes its tables to users.
///
///   study(key, value)                describes the study: schema_version, name, title, question, program, text,
///   command,
///                                    mode, baseline (a point's id) as text; axes [{name, unit, group, values: [{text,
///                                    number}]}], derived [name], metrics [{name, unit, derived}],
///                                    report {minimise, maximise, x, eligible}, where `eligible` names the metric that
///                                    is 0 for points that cannot be the best, and of a search {method, points, seed,
///                                    space, ...} as JSON; "search" is "" if every point runs
///   points(id, position, status, exit_code, error, command, machine, result)      status: done or failed
///   axis_values(point, axis, kind, text, number)                                  kind: axis or derived
///   metrics(point, metric, value)
///   machines(hash, toml)             resolved configurations, with evidence
///   host(point, wall_s, compile_s, op_hits, op_misses, node, build)
///   results                          a view: a row per point, a column for every axis, derived value and metric
///
/// All tables except `host` are the content of the study. It does not depend on how often a sweep was ended and
/// resumed, nor on the number of workers.
namespace podsim::studies::store {

inline constexpr int study_schema_version = 1;

/// Cost of a point on this host; not part of the study's content.
struct PointHost {
  double wall_s = 0, compile_s = 0;
  std::int64_t op_hits = 0, op_misses = 0;  ///< hits and misses in the cache of op durations
  std::string node;                         ///< name of the host
  std::string build;  ///< base::short_build_id() of the program that ran the point; empty if it is not recorded
};

/// A point that ran: its description and its results.
struct PointRecord {
  std::string id;
  std::int64_t position = 0;
  bool done = false;    ///< else it failed
  int exit_code = 0;    ///< 128 + signal if a signal ended it
  std::string error;    ///< last lines that a failed point printed
  std::string command;  ///< command line that runs the point again
  std::string machine;  ///< resolved machine as TOML; empty if there is none
  std::string result;   ///< output of the command with --json, without host times; empty if it failed
  std::vector<plan::StudyValue> axes, derived;
  std::vector<std::pair<std::string, double>> metrics;
  PointHost host;
};

/// State of a point, which is available without reading the whole record.
struct PointState {
  bool done = false;
  std::string build;  ///< PointHost::build
};

/// Writes the database of one study. If the process is killed, the database keeps the points whose add() returned.
class StudyStore {
 public:
  /// Journal of SQLite. `log` is a write-ahead log next to the file (`-wal`, `-shm`) while it is open: writers wait
  /// neither for the disk at every point nor for readers. `rollback` is a journal that processes on several hosts may
  /// use one after the other. A power failure loses at most the last points. When closed, everything is in the one
  /// file.
  enum class Journal { log, rollback };

  /// Creates the file, or opens it to add to it. Throws InputError if it is not a study's database or has another
  /// schema version. In an existing file the description of the study stays as it is until describe() or take_over().
  /// `baseline` is the id of the baseline point.
  StudyStore(const std::filesystem::path& file, const plan::Study& study, const std::string& program,
             const std::string& baseline, Journal journal = Journal::log);
  ~StudyStore();
  StudyStore(const StudyStore&) = delete;
  StudyStore& operator=(const StudyStore&) = delete;

  /// Writes the description of the study that the constructor writes to a new file.
  void describe(const plan::Study& study, const std::string& program, const std::string& baseline);
  /// True if the points were stored under this text of the study.
  bool is_of(const plan::Study& study) const;
  /// Stores all points again under a changed text of the study, and describes that, in one transaction. `renewed`
  /// receives the results of the run (id, done, exit_code, error, result, host) and completes the record.
  void take_over(const plan::Study& study, const std::string& program, const std::string& baseline,
                 const std::function<PointRecord(PointRecord)>& renewed);

  /// The stored points, by id.
  std::map<std::string, PointState> points() const;
  /// The result of a stored point (id, done, exit_code, error, result, host); std::nullopt if there is none.
  std::optional<PointRecord> run_of(const std::string& id) const;
  /// Adds a point, and replaces one with the same id.
  void add(const PointRecord& point);
  /// Removes points, in one transaction.
  void remove(const std::vector<std::string>& ids);
  /// Adds every point of another database of the same study, as add() does, in one transaction.
  void add_all(const std::filesystem::path& other);

 private:
  void write_description(const plan::Study& study, const std::string& program, const std::string& baseline);
  void upgrade();
  void put(const PointRecord& point);
  void remove_point(const std::string& id);
  void copy_attached();

  SqliteDatabase database_;
};

/// InputError unless it is the database of a study, of this schema version.
void require_study_of_this_schema(const SqliteDatabase& database);
/// Makes the checks of StudyStore's constructor without changing anything. `file` exists; it may be empty.
void require_study(const std::filesystem::path& file);
/// As require_study(), and returns true if the file is empty or holds this text of the study.
bool is_of_text(const std::filesystem::path& file, const plan::Study& study);
/// Throws InputError unless is_of_text().
void require_same_text(const std::filesystem::path& file, const plan::Study& study);

/// Ids of the done points of a database. `file` exists; it may be empty.
std::set<std::string> points_done(const std::filesystem::path& file);

/// As StudyStore::run_of(), of a database that is only read.
std::optional<PointRecord> run_of(const SqliteDatabase& database, const std::string& id);

/// The content of a database as text, a line per row in a fixed order, so that equal contents give equal texts.
std::string study_content(const std::filesystem::path& file);

/// A point as a line of JSON for the file next to the database: {id, position, status, axes {}, derived {}, metrics {},
/// command}, and exit_code and error if it failed. Values are numbers where they have one, else texts.
std::string point_line(const PointRecord& point);
/// The lines of all points of a database, by position.
std::string study_lines(const std::filesystem::path& file);

}  // namespace podsim::studies::store
