// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

/// A study: one run of `podsim run` or `podsim collective` as a base, axes along which it is varied, and the figures
/// to keep of every point. docs/studies.md describes the file.
namespace podsim::workloads {

/// What a key of the command is set to at a point.
struct StudyValue {
  std::string key;               ///< of a flag ("batch_per_core"), the machine ("ici.link_rate") or the workload
  std::string text;              ///< as the flag or --set takes it; empty: the flag is left out
  std::optional<double> number;  ///< in SI units; nothing where the value is not a number
};

/// Values of one key and where the file has them.
struct StudyAxis {
  std::string key;
  std::string unit;  ///< of the numbers: "B/s", "s", "B", "Hz", ...; "" for plain numbers and for texts
  std::vector<StudyValue> values;
  std::vector<base::SourceLocation> places;  ///< of each value
  int group = 0;                             ///< axes of one group move together and are equally long
};

/// Arithmetic on axes, values of the base and what else docs/studies.md lists, in muParser's notation.
struct StudyExpression {
  std::string name;  ///< of the value it gives; of a constraint the text
  std::string text;
  base::SourceLocation place;  ///< of the first character of the text
};

enum class StudyMode { grid, zip, list };
std::string to_string(StudyMode mode);

struct StudyReport {
  std::vector<std::string> minimise, maximise;  ///< metrics of the Pareto front
  std::string x;                                ///< what charts have along x; empty: the first numeric axis
};

struct Study {
  std::string name;  ///< the file's without .toml
  std::string title, question;
  std::string text;            ///< of the file
  std::filesystem::path path;  ///< empty: a study that the program carries
  std::string command;         ///< "run" or "collective"
  StudyMode mode = StudyMode::grid;
  std::vector<StudyValue> base;  ///< of every point; an axis of the key replaces it
  std::vector<base::SourceLocation> base_places;
  std::vector<StudyAxis> axes;  ///< in the order of the file, groups behind each other
  std::vector<StudyExpression> derived, constraints;
  std::vector<std::string> metrics;  ///< names of study_metrics(command)
  std::vector<StudyExpression> metric_derived;
  /// What comparisons start from: values of axes that are written, then those of the base and of the machine as it is.
  std::vector<StudyValue> baseline;
  std::size_t baseline_written = 0;     ///< of them
  base::SourceLocation baseline_place;  ///< of the table, if there is one
  StudyReport report;
};

/// A file that a point's run reads.
struct StudyFile {
  std::size_t argument = 0;    ///< which word of the arguments it is
  std::string written;         ///< as the study has it: the same wherever the study lies
  std::filesystem::path path;  ///< where it is
};

struct StudyPoint {
  std::int64_t position = 0;           ///< in the study's order, from 0, of those that satisfy the constraints
  std::vector<StudyValue> axes;        ///< in the order of the study's axes
  std::vector<StudyValue> derived;     ///< in the order of the study's derived values
  std::vector<std::string> arguments;  ///< words after `podsim`, without --json, in a canonical order
  std::vector<StudyFile> files;        ///< named by the arguments
};

/// Reads a study file, or a study that the program carries by its name ("ici_bandwidth"). Everything that can be said
/// of it without its points is checked: keys, values on the machine of the base, expressions, metrics. InputError with
/// a diagnostic for everything wrong, each at its place in the file.
Study read_study(std::string_view path_or_name);
/// The same of a text; `path` is what messages call it, and files are looked for beside it.
Study parse_study(const std::filesystem::path& path, std::string text);

/// The product of the groups' lengths: the number of points before constraints; the largest number where it is more.
std::int64_t study_size(const Study& study);

/// More points than these are asked for by --yes.
inline constexpr std::int64_t most_points_unasked = 100'000;
/// InputError when the study has more, at its largest axis.
void require_moderate_size(const Study& study);

/// The points that satisfy the constraints, the last axis fastest. InputError when there are none, when a point's
/// values do not go together (a slice that the machine cannot form, a value out of the range that others leave), and
/// for a derived value that is not a number or not what its key takes.
std::vector<StudyPoint> points_of(const Study& study);

/// Position of the point that ratios and the tornado chart start from: of those with the written values of the baseline
/// the first that has most of the others. InputError when no point has the written ones.
std::int64_t baseline_position(const Study& study, const std::vector<StudyPoint>& points);

/// Keys of axes that change nothing but the network between chips ([ici] of the machine).
std::vector<std::string> network_axes(const Study& study);

}  // namespace podsim::workloads
