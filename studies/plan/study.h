// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

/// A study: one run of `podsim run` or `podsim collective` as a base, axes along which it is varied, and the metrics
/// that are kept of every point. docs/studies.md describes the file. Errors in it are InputErrors with a location.
namespace podsim::studies::plan {

/// Value of a key at a point.
struct StudyValue {
  std::string key;   ///< of a flag ("batch_per_core"), the machine ("ici.link_rate") or the workload ("model.layers")
  std::string text;  ///< as the flag or --set takes it; empty: the flag is left out
  std::optional<double> number;  ///< in SI units; std::nullopt where the value is not a number
};

/// Values of one key and their locations in the file.
struct StudyAxis {
  std::string key;
  std::string unit;  ///< of the numbers: "B/s", "s", "B", "Hz", ...; "" for plain numbers and for texts
  std::vector<StudyValue> values;
  std::vector<base::SourceLocation> places;  ///< of each value
  int group = 0;                             ///< axes of one group move together and have the same length
};

/// An expression in muParser's notation, on axes, values of the base and the other names that docs/studies.md lists.
struct StudyExpression {
  std::string name;  ///< of the value it defines; for a constraint its text
  std::string text;
  base::SourceLocation place;  ///< of the first character of the text
};

enum class StudyMode { grid, zip, list };
std::string to_string(StudyMode mode);

struct StudyReport {
  std::vector<std::string> minimise, maximise;  ///< objectives: metrics, or derived values
  std::string x;                                ///< x of the charts; empty: the first numeric axis
};

enum class SearchMethod { random, gaussian, halving };
std::string to_string(SearchMethod method);

/// A search of the points of a study, of which it runs some. studies/optimise/search_method.h describes the methods.
struct StudySearch {
  SearchMethod method = SearchMethod::gaussian;
  std::int64_t points = 0;  ///< in all; for halving those of the first round
  std::int64_t seed = 0;
  std::int64_t batch = 4;         ///< gaussian: points that are chosen at a time
  std::int64_t begin = 0;         ///< gaussian: points before them, drawn at random
  std::int64_t keep = 3;          ///< halving: one point in `keep` goes on
  std::string fidelity;           ///< halving: the axis whose values are the rounds; "" for other methods
  base::SourceLocation location;  ///< of the table
};

struct Study {
  std::string name;  ///< file name without .toml
  std::string title, question;
  std::string text;            ///< of the file
  std::filesystem::path path;  ///< empty for a shipped study
  std::string command;         ///< of study_commands()
  StudyMode mode = StudyMode::grid;
  std::vector<StudyValue> base;  ///< values of every point, unless an axis has the same key
  std::vector<base::SourceLocation> base_locations;
  std::vector<StudyAxis> axes;  ///< in the order of the file
  std::vector<StudyExpression> derived, constraints;
  std::vector<std::string> metrics;  ///< names of study_metrics(command)
  std::vector<StudyExpression> metric_derived;
  std::vector<StudyExpression> metric_constraints;  ///< on the names of metric_derived; a best point satisfies them
  /// The values that comparisons are relative to: first those that the file gives for axes, then those of the base, and
  /// of the machine where the base has none.
  std::vector<StudyValue> baseline;
  std::size_t baseline_written = 0;        ///< the number that the file gives
  base::SourceLocation baseline_location;  ///< location of the table, if there is one
  StudyReport report;
  std::optional<StudySearch> search;  ///< std::nullopt: every point runs
};

/// A file that a point's run reads.
struct StudyFile {
  std::size_t argument = 0;    ///< index of the word in StudyPoint::arguments
  std::string written;         ///< path as the study has it, which does not depend on the study's folder
  std::filesystem::path path;  ///< resolved path
};

struct StudyPoint {
  /// From 0, in the study's order, among the points that satisfy the constraints; of a search in the order of choice.
  std::int64_t position = 0;
  std::vector<StudyValue> axes;        ///< in the order of the study's axes
  std::vector<StudyValue> derived;     ///< in the order of the study's derived values
  std::vector<std::string> arguments;  ///< words after `podsim`, without --json, in a canonical order
  std::vector<StudyFile> files;        ///< named by the arguments
};

/// Reads a study file, or a shipped study by its name ("ici"). Checks all that can be checked without building the
/// points: keys, values on the machine of the base, expressions, metrics. Throws InputError with a diagnostic for every
/// error, at its location in the file.
Study read_study(std::string_view path_or_name);
/// As read_study, for a text. Messages name it `path`, and the files that it names are resolved relative to that path.
Study parse_study(const std::filesystem::path& path, std::string text);

/// Number of points before constraints: the product of the groups' lengths, clamped to the largest std::int64_t.
std::int64_t study_size(const Study& study);

/// Studies with more points need the flag --yes.
inline constexpr std::int64_t max_points_unasked = 100'000;
/// Throws InputError at the study's largest axis if the study has more points.
void require_moderate_size(const Study& study);

/// All points that satisfy the constraints, with the last axis varying fastest. Throws InputError if there are none, if
/// the values of a point are inconsistent (a slice that the machine cannot form, a value outside the range that other
/// values leave), and for a derived value that is not finite or that its key does not accept.
std::vector<StudyPoint> points_of(const Study& study);

/// Position of the baseline, which ratios and the tornado chart are relative to: among the points with the baseline
/// values that the file gives, the first that has most of the other baseline values. Throws InputError if no point has
/// those of the file.
std::int64_t baseline_position(const Study& study, const std::vector<StudyPoint>& points);

/// Keys of the axes that change only the network between chips ([ici] of the machine).
std::vector<std::string> network_axes(const Study& study);

}  // namespace podsim::studies::plan
