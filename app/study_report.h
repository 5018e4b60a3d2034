// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "workloads/study/study_chart.h"

namespace podsim::app {

struct StudyReportOptions {
  std::filesystem::path database;
  std::string output;  ///< the page; empty: beside the database, or none where only a chart is asked for
  std::string chart;   ///< a chart as a file of its own; empty: none
  workloads::ChartRequest request;
};

/// Writes the page of a study, or a chart of it, and says what was written.
void write_study_report(const StudyReportOptions& options);

}  // namespace podsim::app
