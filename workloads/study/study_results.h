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

/// What a study found, read from its database: the question, the axes and every point with its values, metrics and
/// configuration. study_store.h describes the tables.
namespace podsim::workloads {

/// An axis, a derived value or a metric of a point: the text that the study wrote, and the number that it stands for in
/// SI units where it is one.
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
  std::string error;                           ///< last lines of what a failed point printed
  std::string command;                         ///< the line that runs it again
  std::string machine;                         ///< key of StudyResults::machines
  std::string build;                           ///< of the program that ran it; empty: it did not say
  std::vector<ResultValue> axes;               ///< in the order of StudyResults::axes
  std::vector<ResultValue> derived;            ///< in the order of StudyResults::derived
  std::vector<std::optional<double>> metrics;  ///< in the order of StudyResults::metrics; none where it failed
};

/// A dimension of the study. Keys that move together are one dimension.
struct ResultAxis {
  std::string name;                 ///< the flag or machine key
  std::size_t group = 0;            ///< equal for axes that move together
  std::vector<ResultValue> values;  ///< that points have: by number where all are numbers, else in order of appearance
  bool numeric() const;             ///< every value is a number
};

/// A column of the results.
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

/// Sums over the points, of the host: not part of what the study says, and different from run to run.
struct HostTotals {
  std::int64_t points = 0;  ///< that have a row
  double wall_s = 0, compile_s = 0;
  std::int64_t op_hits = 0, op_misses = 0;
};

struct StudyResults {
  std::filesystem::path path;
  std::string name, title, question, program, text;
  std::vector<ResultAxis> axes;
  std::vector<std::string> derived, metrics;
  std::vector<std::string> metric_units;        ///< of each metric: "s", "B", "1" for shares; empty where it has none
  std::vector<Objective> objectives;            ///< what the study asks for; empty when it says nothing
  std::string x;                                ///< what charts are drawn against, when the study says so
  std::optional<std::size_t> baseline;          ///< index into points
  std::vector<ResultPoint> points;              ///< by position
  std::map<std::string, std::string> machines;  ///< resolved configuration as TOML, by hash
  HostTotals host;

  /// Axes, then derived values, then metrics.
  std::vector<Variable> variables() const;
  std::optional<Variable> find(std::string_view name) const;
  const std::string& name_of(const Variable& variable) const;
  /// The number of a point; none where it has no number there, as failed points have no metrics.
  std::optional<double> number(const ResultPoint& point, const Variable& variable) const;
};

/// Reads a study's database, while a sweep writes to it too. InputError when the file is none, or of another version.
StudyResults read_study_results(const std::filesystem::path& file);

/// The database of a study: the file itself, or the only .sqlite file of a folder. None for a folder without one.
/// InputError when nothing is there, or a folder holds several.
std::optional<std::filesystem::path> find_study_database(const std::filesystem::path& path);

}  // namespace podsim::workloads
