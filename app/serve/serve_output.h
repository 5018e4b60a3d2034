// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "report/serving/serving_report.h"

namespace podsim::app::serve {

/// Writes stats.json, summary.txt, requests.csv, series.csv, manifest.json and report.html, which shows them. Each file
/// appears whole or not at all. Equal runs write equal bytes, because host times are left out.
void write_serving(const std::filesystem::path& folder, const report::serving::ServingReport& report,
                   const std::string& command_line);

}  // namespace podsim::app::serve
