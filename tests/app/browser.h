// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace podsim::test {

/// The result of tests/browser/check_page.py on a page.
struct PageCheck {
  std::string skipped;  ///< why nothing was checked: no browser, or no python3; empty if the page was checked
  std::string output;   ///< "the page works", or the faults
};

/// Opens a page in a browser; each expectation is JavaScript that must be true in the end.
PageCheck check_in_browser(const std::filesystem::path& page, const std::vector<std::string>& expectations);

}  // namespace podsim::test
