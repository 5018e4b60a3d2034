// SPDX-License-Identifier: Apache-2.0
#include "base/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace podsim::base {

bool CsvRow::has(std::string_view column) const { return std::ranges::find(columns_, column) != columns_.end(); }

const CsvField& CsvRow::field(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) {
    SourceLocation location = reader_.location(fields_.front());
    throw InputError(Diagnostic{.message = fmt::format("no column '{}'", column),
                                .location = location,
                                .hint = did_you_mean(column, columns_)});
  }
  return fields_[std::size_t(found - columns_.begin())];
}

const std::string& CsvRow::text(std::string_view column) const { return field(column).value; }

SourceLocation CsvRow::location(std::string_view column) const { return reader_.location(field(column)); }

std::optional<double> CsvRow::number(std::string_view column) const {
  const std::string& value = text(column);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

double CsvRow::positive(std::string_view column) const {
  const std::optional<double> value = number(column);
  if (value && *value > 0) return *value;
  throw InputError(Diagnostic{.message = fmt::format("'{}' is not a number above zero", text(column)),
                              .location = location(column),
                              .hint = ""});
}

double CsvRow::percent(std::string_view column) const {
  if (empty(column)) return 0;
  const std::optional<double> value = number(column);
  if (value && *value >= 0 && *value <= 100) return *value;
  throw InputError(Diagnostic{.message = fmt::format("'{}' is not a share between 0 and 100 %", text(column)),
                              .location = location(column),
                              .hint = ""});
}

void read_csv_rows(const std::string& file, std::string_view text, std::string_view blamed,
                   const std::function<void(const CsvRow&)>& row) {
  CsvReader reader(file, text);
  std::vector<CsvField> fields;
  std::vector<std::string> columns;
  while (reader.next(fields)) {
    if (columns.empty()) {
      for (const CsvField& field : fields) columns.push_back(field.value);
      continue;
    }
    if (fields.size() != columns.size()) {
      throw InputError(Diagnostic{.message = fmt::format("{} fields under {} columns", fields.size(), columns.size()),
                                  .location = reader.location(fields.front()),
                                  .hint = "a field with a comma stands in quotes"});
    }
    const CsvRow read(columns, fields, reader);
    try {
      row(read);
    } catch (const InputError& error) {
      std::vector<Diagnostic> diagnostics = error.diagnostics();
      for (Diagnostic& diagnostic : diagnostics) {
        if (diagnostic.location.file.empty()) diagnostic.location = read.location(blamed);
      }
      throw InputError(diagnostics);
    }
  }
}

}  // namespace podsim::base
