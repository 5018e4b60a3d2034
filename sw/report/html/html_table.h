// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::sw {

struct TableColumn {
  std::string title;     ///< plain text
  bool numeric = false;  ///< set to the right, sorted by value
};

struct TableCell {
  std::string html;             ///< content; html_escaped where it is text
  std::optional<double> value;  ///< what the column sorts by; else its text
};
TableCell text_cell(std::string_view text);
TableCell code_cell(std::string_view text);
/// `text` is how the value is shown.
TableCell number_cell(double value, std::string_view text);
/// A bar as long as a share of one; the number itself stands in another cell.
TableCell bar_cell(double share);

/// A table as a page has it from the start, for as many rows as a reader may scroll through; longer ones are JSON and
/// pages (report.js, pagedTable).
struct HtmlTable {
  std::string id = {};  ///< letters, digits and hyphens; needed when it is filtered
  std::string caption = {};
  std::vector<TableColumn> columns = {};
  std::vector<std::vector<TableCell>> rows = {};
  bool sortable = false;  ///< the headings are buttons
  bool tall = false;      ///< scrolls by itself beyond a screen's height
  /// A field whose words rows must contain; empty: none. What it says is its label.
  std::string filter_label = {};
  /// Column by whose values a list of choices filters; -1: none.
  int choice_column = -1;
};

/// In a frame that scrolls sideways where the page is narrower.
std::string html_table(const HtmlTable& table);

}  // namespace podsim::sw
