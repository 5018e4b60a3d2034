// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::report::html {

/// A CSV file whose first record names its columns.
class CsvTable {
 public:
  struct Column {
    std::string_view name;
    bool number = false;  ///< every cell is a number
  };

  /// Throws base::InputError if the file cannot be read, lacks one of the `needed` columns, or, with line and column,
  /// if a record has another length or a cell is not a number where one is expected.
  CsvTable(const std::filesystem::path& file, const std::vector<Column>& needed);

  std::size_t rows() const { return rows_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  /// These throw base::InputError for a column that the file does not have, such as an axis that another file names.
  const std::string& text(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column) const;
  /// The whole part, within 32 bits.
  std::int32_t integer(std::size_t row, std::string_view column) const;

 private:
  std::size_t place(std::string_view column) const;

  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The contents of a file. Throws base::InputError if it cannot be read.
std::string read_text_file(const std::filesystem::path& file);

}  // namespace podsim::report::html
