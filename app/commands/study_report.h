// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "studies/charts/study_chart.h"

namespace podsim::app::commands {

struct StudyReportOptions {
  std::filesystem::path database;
  std::string output;  ///< file of the page; empty: next to the database, or none if only a chart is requested
  std::string chart;   ///< file of a standalone chart; empty: none
  studies::charts::ChartRequest request;
};

/// Writes the page of a study, or a chart of it, and prints the paths.
void write_study_report(const StudyReportOptions& options);

}  // namespace podsim::app::commands
