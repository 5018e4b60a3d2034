// SPDX-License-Identifier: Apache-2.0
#include "report/html/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "base/csv_reader.h"
#include "base/diagnostic.h"

namespace podsim::report::html {
namespace {

std::optional<double> parsed(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void reject(base::SourceLocation where, std::string message) {
  throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), std::move(where), ""});
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw base::InputError(fmt::format("cannot read '{}'", file.string()));
  return std::move(text).str();
}

CsvTable::CsvTable(const std::filesystem::path& file, const std::vector<Column>& needed) : file_(file.string()) {
  const std::string text = read_text_file(file);
  base::CsvReader reader(file.string(), text);
  std::vector<base::CsvField> fields;
  if (!reader.next(fields)) throw base::InputError(fmt::format("'{}' is empty", file.string()));
  for (const base::CsvField& field : fields) columns_.push_back(field.value);
  std::vector<std::size_t> numbers;
  for (const Column& column : needed) {
    const auto found = std::ranges::find(columns_, column.name);
    if (found == columns_.end()) {
      reject(reader.location(fields.front()), fmt::format("there is no column '{}'", column.name));
    }
    if (column.number) numbers.push_back(std::size_t(found - columns_.begin()));
  }
  while (reader.next(fields)) {
    if (fields.size() != columns_.size()) {
      reject(reader.location(fields.front()),
             fmt::format("{} fields in a table of {} columns", fields.size(), columns_.size()));
    }
    for (const std::size_t column : numbers) {
      if (!parsed(fields[column].value)) reject(reader.location(fields[column]), "this is no number");
    }
    std::vector<std::string>& row = rows_.emplace_back();
    for (base::CsvField& field : fields) row.push_back(std::move(field.value));
  }
}

std::size_t CsvTable::place(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) throw base::InputError(fmt::format("'{}' has no column '{}'", file_, column));
  return std::size_t(found - columns_.begin());
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const { return rows_[row][place(column)]; }

double CsvTable::number(std::size_t row, std::string_view column) const {
  return parsed(text(row, column)).value_or(0);
}

std::int32_t CsvTable::integer(std::size_t row, std::string_view column) const {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return std::int32_t(std::clamp(number(row, column), -most, most));
}

}  // namespace podsim::report::html
