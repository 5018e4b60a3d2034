// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace podsim::workloads::measured {

const sw::profile::CsvField& MeasuredRow::field(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) {
    base::SourceLocation location = reader_.location(fields_.front());
    throw base::InputError(base::Diagnostic{.message = fmt::format("no column '{}'", column),
                                            .location = location,
                                            .hint = base::did_you_mean(column, columns_)});
  }
  return fields_[std::size_t(found - columns_.begin())];
}

const std::string& MeasuredRow::text(std::string_view column) const { return field(column).value; }

base::SourceLocation MeasuredRow::location(std::string_view column) const { return reader_.location(field(column)); }

std::optional<double> MeasuredRow::number(std::string_view column) const {
  const std::string& value = text(column);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

double MeasuredRow::positive(std::string_view column) const {
  const std::optional<double> value = number(column);
  if (value && *value > 0) return *value;
  throw base::InputError(base::Diagnostic{.message = fmt::format("'{}' is not a number above zero", text(column)),
                                          .location = location(column),
                                          .hint = ""});
}

double MeasuredRow::percent(std::string_view column) const {
  if (empty(column)) return 0;
  const std::optional<double> value = number(column);
  if (value && *value >= 0 && *value <= 100) return *value;
  throw base::InputError(
      base::Diagnostic{.message = fmt::format("'{}' is not a share between 0 and 100 %", text(column)),
                       .location = location(column),
                       .hint = ""});
}

void read_rows(const std::string& file, std::string_view text, std::string_view blamed,
               const std::function<void(const MeasuredRow&)>& row) {
  sw::profile::CsvReader reader(file, text);
  std::vector<sw::profile::CsvField> fields;
  std::vector<std::string> columns;
  while (reader.next(fields)) {
    if (columns.empty()) {
      for (const sw::profile::CsvField& field : fields) columns.push_back(field.value);
      continue;
    }
    if (fields.size() != columns.size()) {
      throw base::InputError(
          base::Diagnostic{.message = fmt::format("{} fields under {} columns", fields.size(), columns.size()),
                           .location = reader.location(fields.front()),
                           .hint = "a field with a comma stands in quotes"});
    }
    const MeasuredRow read(columns, fields, reader);
    try {
      row(read);
    } catch (const base::InputError& error) {
      std::vector<base::Diagnostic> diagnostics = error.diagnostics();
      for (base::Diagnostic& diagnostic : diagnostics) {
        if (diagnostic.location.file.empty()) diagnostic.location = read.location(blamed);
      }
      throw base::InputError(diagnostics);
    }
  }
}

}  // namespace podsim::workloads::measured
