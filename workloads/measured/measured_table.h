// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "sw/profile/csv.h"

namespace podsim::workloads::measured {

/// A row of a CSV file whose first record names the columns.
class MeasuredRow {
 public:
  /// The columns and the reader outlive the row.
  MeasuredRow(const std::vector<std::string>& columns, const std::vector<sw::profile::CsvField>& fields,
              const sw::profile::CsvReader& reader)
      : columns_(columns), fields_(fields), reader_(reader) {}

  /// Throws base::InputError if the file has no such column.
  const std::string& text(std::string_view column) const;
  /// Throws base::InputError at the field unless it is a number above zero.
  double positive(std::string_view column) const;
  /// Throws base::InputError at the field unless it is a share in percent, 0 to 100. An empty field is 0.
  double percent(std::string_view column) const;
  bool empty(std::string_view column) const { return text(column).empty(); }
  base::SourceLocation location(std::string_view column) const;

 private:
  const sw::profile::CsvField& field(std::string_view column) const;
  /// std::nullopt unless the field is a finite number.
  std::optional<double> number(std::string_view column) const;

  const std::vector<std::string>& columns_;
  const std::vector<sw::profile::CsvField>& fields_;
  const sw::profile::CsvReader& reader_;
};

/// Calls `row` with every record of the file's text. An InputError without a location that it throws gets that of the
/// field under `blamed`. Throws base::InputError for a record with more or fewer fields than columns.
void read_rows(const std::string& file, std::string_view text, std::string_view blamed,
               const std::function<void(const MeasuredRow&)>& row);

}  // namespace podsim::workloads::measured
