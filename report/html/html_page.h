// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Writes a page as a single file: style sheet, scripts, data and drawings are in it, and its content security policy
/// forbids it to load anything else.
namespace podsim::report::html {

/// A part of a page with a heading and an entry in the table of contents.
struct HtmlSection {
  std::string id;     ///< letters, digits and hyphens
  std::string title;  ///< plain text
  std::string body;   ///< HTML
};

struct HtmlPage {
  std::string title;     ///< plain text, like everything except bodies
  std::string kicker;    ///< a line above the title
  std::string subtitle;  ///< a line below it
  std::vector<HtmlSection> sections;
  std::vector<std::pair<std::string, std::string>> data;  ///< id and JSON: `JSON.parse(document.getElementById(id)...)`
  std::vector<std::string> scripts;                       ///< assets after report.js, in the order in which they run
  std::string footer;
};

/// The whole document. Sections without a body are left out.
std::string html_page(const HtmlPage& page);

/// A file of report/html/assets/, such as report.css, by name. Throws std::out_of_range if there is none.
std::string_view report_asset(std::string_view name);

}  // namespace podsim::report::html
