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

#include "workloads/study/sqlite_database.h"
#include "workloads/study/study.h"

/// The database of a study: SQLite, one transaction a point. docs/studies.md describes its tables to users.
///
///   study(key, value)                what the study is: schema_version, name, title, question, program, text, command,
///                                    mode, baseline (a point's id) as text; axes [{name, unit, group, values: [{text,
///                                    number}]}], derived [name], metrics [{name, unit, derived}] and
///                                    report {minimise, maximise, x} as JSON
///   points(id, position, status, exit_code, error, command, machine, result)      status: done or failed
///   axis_values(point, axis, kind, text, number)                                  kind: axis or derived
///   metrics(point, metric, value)
///   machines(hash, toml)             resolved configurations, with evidence
///   host(point, wall_s, compile_s, op_hits, op_misses, node, build)
///   results                          a view: a row a point, a column for every axis, derived value and metric
///
/// All but `host` is the content: the same however often a sweep was ended and resumed, and by how many workers.
namespace podsim::workloads {

inline constexpr int study_schema_version = 1;

/// What a point took here: not part of what a study says.
struct PointHost {
  double wall_s = 0, compile_s = 0;
  std::int64_t op_hits = 0, op_misses = 0;  ///< of the cache of op durations
  std::string node;                         ///< name of the host
  std::string build;                        ///< of the program, base::build_id(); empty: of one that did not say
};

/// A point that ran: what it was, and what it left.
struct PointRecord {
  std::string id;
  std::int64_t position = 0;
  bool done = false;    ///< else it failed
  int exit_code = 0;    ///< 128 + signal when a signal ended it
  std::string error;    ///< last lines of what a failed point printed
  std::string command;  ///< the line that runs it again
  std::string machine;  ///< its resolved TOML; empty when there is none to resolve
  std::string result;   ///< what the command printed with --json, host times left out; empty when it failed
  std::vector<StudyValue> axes, derived;
  std::vector<std::pair<std::string, double>> metrics;
  PointHost host;
};

/// What is known of a point without reading it.
struct PointState {
  bool done = false;
  std::string build;  ///< PointHost::build
};

/// Writes the database of one study. A process that is killed leaves the points whose add() returned.
class StudyStore {
 public:
  /// How changes become whole: in a log beside the file while it is open (`-wal`, `-shm`), where writers neither wait
  /// for the disk at every point nor for those who read; or by a journal that processes of several hosts may use one
  /// after the other. What a power cut takes is at most the last points. Closed, everything is in the one file.
  enum class Journal { log, rollback };

  /// Makes the file, or opens it to add to it. InputError when it is no study's database or is of a newer schema; what
  /// it says of the study stays as it is until describe() or take_over(). `baseline` is the id of the point that
  /// comparisons start from.
  StudyStore(const std::filesystem::path& file, const Study& study, const std::string& program,
             const std::string& baseline, Journal journal = Journal::log);
  ~StudyStore();
  StudyStore(const StudyStore&) = delete;
  StudyStore& operator=(const StudyStore&) = delete;

  /// What the constructor would have written to a new file.
  void describe(const Study& study, const std::string& program, const std::string& baseline);
  /// Whether the points were filed by this text of the study.
  bool is_of(const Study& study) const;
  /// Files all points anew for a study whose text has changed, and describes it, in one transaction. `renewed` is given
  /// what ran (id, done, exit_code, error, result, host) and fills in the rest.
  void take_over(const Study& study, const std::string& program, const std::string& baseline,
                 const std::function<PointRecord(PointRecord)>& renewed);

  /// The points that are there, by id.
  std::map<std::string, PointState> points() const;
  /// Takes the place of what is there of this id.
  void add(const PointRecord& point);
  /// Takes points out, in one transaction.
  void remove(const std::vector<std::string>& ids);
  /// Adds every point of another database of the same study, as add() does, in one transaction.
  void add_all(const std::filesystem::path& other);

 private:
  void write_description(const Study& study, const std::string& program, const std::string& baseline);
  void upgrade();
  PointRecord read_run(const std::string& id) const;
  void put(const PointRecord& point);
  void remove_point(const std::string& id);
  void copy_attached();

  SqliteDatabase database_;
};

/// Checks without changing anything what the constructor of StudyStore does. `file` exists; it may be empty.
void require_study(const std::filesystem::path& file);
/// The same, and whether the file holds this text of the study.
bool is_of_text(const std::filesystem::path& file, const Study& study);
/// InputError where it does not.
void require_same_text(const std::filesystem::path& file, const Study& study);

/// Ids of the points that a database has done. `file` exists; it may be empty.
std::set<std::string> points_done(const std::filesystem::path& file);

/// The content of a database as text, a line for every row, in an order of its own: equal for equal contents.
std::string study_content(const std::filesystem::path& file);

/// A point as a line of the file that goes with the database: {id, position, status, exit_code, error, command,
/// axes {}, derived {}, metrics {}}; values are numbers where they have one, else texts.
std::string point_line(const PointRecord& point);
/// The lines of all points of a database, by position.
std::string study_lines(const std::filesystem::path& file);

}  // namespace podsim::workloads
