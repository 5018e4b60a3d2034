// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Results of a study, read from its database: the question, the axes and every point with its values, metrics and
/// configuration. Numbers are in SI units. study_store.h describes the tables.
namespace podsim::studies::store {

/// A value of a point on an axis or of a derived value: the text that the study wrote, and its number in SI units if it
/// has one.
struct ResultValue {
  std::string text;
  std::optional<double> number;
  friend bool operator==(const ResultValue&, const ResultValue&) = default;
};

struct ResultPoint {
  std::string id;
  std::int64_t position = 0;  ///< in the study's order
  bool done = false;          ///< else it failed
  int exit_code = 0;
  std::string error;                 ///< last lines that a failed point printed
  std::string command;               ///< command line that runs the point again
  std::string machine;               ///< key of StudyResults::machines
  std::string build;                 ///< build of the program that ran it; empty if it is not recorded
  std::vector<ResultValue> axes;     ///< in the order of StudyResults::axes
  std::vector<ResultValue> derived;  ///< in the order of StudyResults::derived
  std::vector<std::optional<double>>
      metrics;  ///< in the order of StudyResults::metrics; std::nullopt where the point has no such metric
};

/// An axis of the study.
struct ResultAxis {
  std::string name;       ///< the flag or machine key
  std::size_t group = 0;  ///< equal for axes that move together
  std::vector<ResultValue>
      values;            ///< distinct values of the points: in ascending order if all are numbers, else by appearance
  bool numeric() const;  ///< true if every value is a number
};

/// A column of the results: an axis, a derived value or a metric.
struct Variable {
  enum class Kind { axis, derived, metric };
  Kind kind = Kind::metric;
  std::size_t index = 0;  ///< into StudyResults::axes, derived or metrics
  friend bool operator==(const Variable&, const Variable&) = default;
};

enum class Direction { minimise, maximise };

struct Objective {
  Variable variable;
  Direction direction = Direction::minimise;
};

/// Host times and cache counts, summed over the points. They differ from run to run and are not part of the study's
/// content.
struct HostTotals {
  std::int64_t points = 0;  ///< points with a row in the table `host`
  double wall_s = 0, compile_s = 0;
  std::int64_t op_hits = 0, op_misses = 0;
};

struct StudyResults {
  std::filesystem::path path;
  std::string name, title, question, program, text;
  std::vector<ResultAxis> axes;
  std::vector<std::string> derived, metrics;
  std::vector<std::string> metric_units;  ///< unit of each metric: "s", "B", "1" for shares; empty if it has none
  std::vector<Objective> objectives;      ///< objectives of the study's report; may be empty
  std::string x;                          ///< x of the charts in the study's report; may be empty
  std::optional<std::size_t> eligible;    ///< metric that is 0 for points that cannot be the best, if there is one
  std::string search;                     ///< how the points were chosen, as a sentence; empty if all were run
  std::optional<std::size_t> baseline;    ///< index into points
  std::vector<ResultPoint> points;        ///< by position
  std::map<std::string, std::string> machines;  ///< resolved configuration as TOML, by hash
  HostTotals host;

  /// All variables: axes, then derived values, then metrics.
  std::vector<Variable> variables() const;
  std::optional<Variable> find(std::string_view wanted) const;
  const std::string& name_of(const Variable& variable) const;
  /// The number of a point; std::nullopt where it has none, such as a metric of a failed point.
  std::optional<double> number(const ResultPoint& point, const Variable& variable) const;
  /// True for a point that may be the best: it is done, and it is eligible.
  bool may_be_best(const ResultPoint& point) const;
};

/// Reads a study's database; a sweep may write to it at the same time. Throws InputError if the file is not the
/// database of a study or has another schema version.
StudyResults read_study_results(const std::filesystem::path& file);

/// The database of a study: `path` itself, or the only .sqlite file of the folder `path`; std::nullopt for a folder
/// without one. Throws InputError if `path` does not exist, for a .toml file, and for a folder with several databases.
std::optional<std::filesystem::path> find_study_database(const std::filesystem::path& path);

}  // namespace podsim::studies::store
