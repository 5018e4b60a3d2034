// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::report::html {

struct TableColumn {
  std::string title;     ///< plain text
  bool numeric = false;  ///< right-aligned, sorted by value
};

struct TableCell {
  std::string html;             ///< content; text must be html_escaped
  std::optional<double> value;  ///< sort key of the cell; its text if empty
};
TableCell text_cell(std::string_view text);
TableCell code_cell(std::string_view text);
/// `text` is the displayed value.
TableCell number_cell(double value, std::string_view text);
/// A bar whose length is a share of one; another cell has the number.
TableCell bar_cell(double share);

/// A table in the HTML of a page, for a number of rows that a reader can scroll through. Longer tables are JSON that a
/// script shows in pages (report.js, pagedTable).
struct HtmlTable {
  std::string id = {};  ///< letters, digits and hyphens; required if the table is filtered
  std::string caption = {};
  std::vector<TableColumn> columns = {};
  std::vector<std::vector<TableCell>> rows = {};
  bool sortable = false;  ///< the headings are buttons
  bool tall = false;      ///< scrolls separately if it is taller than a screen
  /// Label of a search field that filters rows by words; empty for no field.
  std::string filter_label = {};
  /// Column whose values are the choices of a list that filters rows; -1 for no list.
  int choice_column = -1;
};

/// The table in a frame that scrolls horizontally if the page is narrower.
std::string html_table(const HtmlTable& table);

}  // namespace podsim::report::html
