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
#include "sw/report/configuration_comparison.h"
#include "sw/report/figure_comparison.h"
#include "workloads/study/study_results.h"

/// Two points of one study or of two: what differs in their values and machines, and their metrics side by side.
namespace podsim::workloads {

struct ComparedPoint {
  std::string name;  ///< "ici.sqlite:1f0c2a..."
  std::string program, build, command;
  std::string failure;                                      ///< of a point without metrics: what it said; else empty
  std::vector<std::pair<std::string, std::string>> values;  ///< of axes and derived values
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<std::string> units;  ///< of the metrics
  std::vector<base::ConfigEntry> machine;
};

struct PointComparison {
  std::array<ComparedPoint, 2> points;
  std::vector<sw::SettingDifference> settings;
  std::vector<sw::MachineDifference> machine;
  std::vector<sw::FigureDifference> figures;  ///< metrics of either
  std::vector<std::string> warnings;
};

/// The two parts of "STUDY.sqlite:POINT", or of "FOLDER:POINT" with the database in the folder; nothing where the text
/// is of neither form.
std::optional<std::pair<std::filesystem::path, std::string>> point_reference(const std::string& text);

/// A point by its position in the study, its id, the beginning of an id that no other point has, or "baseline".
/// InputError for none, with the nearest id, and for several.
const ResultPoint& find_point(const StudyResults& study, std::string_view id);

ComparedPoint compared_point(const StudyResults& study, const ResultPoint& point);
PointComparison compare_points(ComparedPoint a, ComparedPoint b);

std::string comparison_text(const PointComparison& comparison);
std::string comparison_json(const PointComparison& comparison);

}  // namespace podsim::workloads
