// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_reader.h"
#include "base/diagnostic.h"

namespace podsim::base {

/// A row of a CSV file whose first record names the columns.
class CsvRow {
 public:
  /// The columns and the reader outlive the row.
  CsvRow(const std::vector<std::string>& columns, const std::vector<CsvField>& fields, const CsvReader& reader)
      : columns_(columns), fields_(fields), reader_(reader) {}

  bool has(std::string_view column) const;
  /// Throws InputError if the file has no such column.
  const std::string& text(std::string_view column) const;
  /// Throws InputError at the field unless it is a number above zero.
  double positive(std::string_view column) const;
  /// Throws InputError at the field unless it is a share in percent, 0 to 100. An empty field is 0.
  double percent(std::string_view column) const;
  bool empty(std::string_view column) const { return text(column).empty(); }
  SourceLocation location(std::string_view column) const;

 private:
  const CsvField& field(std::string_view column) const;
  /// std::nullopt unless the field is a finite number.
  std::optional<double> number(std::string_view column) const;

  const std::vector<std::string>& columns_;
  const std::vector<CsvField>& fields_;
  const CsvReader& reader_;
};

/// Calls `row` with every record of the file's text. An InputError without a location that it throws gets that of the
/// field under `blamed`. Throws InputError for a record with more or fewer fields than columns.
void read_csv_rows(const std::string& file, std::string_view text, std::string_view blamed,
                   const std::function<void(const CsvRow&)>& row);

}  // namespace podsim::base
