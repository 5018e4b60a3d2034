// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace podsim::sw {

/// A style sheet or script of pages.
struct ReportAsset {
  std::string name;  ///< "report.css"
  std::string text;
};

/// The .css and .js files of sw/report/html/; generated at build time.
const std::vector<ReportAsset>& report_assets();

}  // namespace podsim::sw
