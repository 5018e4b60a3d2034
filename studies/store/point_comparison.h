// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.h"
#include "report/compare/configuration_comparison.h"
#include "report/compare/figure_comparison.h"
#include "studies/store/study_results.h"

/// Comparison of two points, of one study or of two: differences in their values and machines, and their metrics side
/// by side.
namespace podsim::studies::store {

struct ComparedPoint {
  std::string name;  ///< "ici.sqlite:1f0c2a..."
  std::string program, build, command;
  std::string failure;  ///< error of a failed point, which has no metrics; else empty
  std::vector<std::pair<std::string, std::string>> values;  ///< name and text of axes and derived values
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<std::string> units;  ///< of the metrics
  std::vector<base::ConfigEntry> machine;
};

struct PointComparison {
  std::array<ComparedPoint, 2> points;
  std::vector<report::compare::SettingDifference> settings;
  std::vector<report::compare::MachineDifference> machine;
  std::vector<report::compare::FigureDifference> figures;  ///< metrics of either point
  std::vector<std::string> warnings;
};

/// The database and point that "STUDY.sqlite:POINT" or "FOLDER:POINT" names, in the latter the folder's only database.
/// std::nullopt if the text has neither form, or is itself the path of an existing file.
std::optional<std::pair<std::filesystem::path, std::string>> point_reference(const std::string& text);

/// The point with this position in the study or this id, or the only one with an id that begins so; "baseline" is the
/// baseline. Throws InputError, with the nearest id, if there is none, and if there are several.
const ResultPoint& find_point(const StudyResults& study, std::string_view id);

ComparedPoint compared_point(const StudyResults& study, const ResultPoint& point);
PointComparison compare_points(ComparedPoint a, ComparedPoint b);

std::string comparison_text(const PointComparison& comparison);
std::string comparison_json(const PointComparison& comparison);

}  // namespace podsim::studies::store
