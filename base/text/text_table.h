// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace podsim::base::text {

/// Formats rows of text in columns, each as wide as its widest cell (in characters, not bytes), two spaces apart.
class TextTable {
 public:
  enum class Align { left, right };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// A row may have fewer cells than the table has columns, not more (std::logic_error).
  void row(std::vector<std::string> cells);
  /// The table with one line per row, without trailing blanks.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace podsim::base::text
