// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace podsim::report::html::assets {

/// A style sheet or script that pages contain.
struct ReportAsset {
  std::string name;  ///< "report.css"
  std::string text;
};

/// The .css and .js files of this folder; generated at build time.
const std::vector<ReportAsset>& report_assets();

}  // namespace podsim::report::html::assets
