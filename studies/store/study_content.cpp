// SPDX-License-Identifier: Apache-2.0
// Part of studies/store/study_store.h.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text/json_text.h"
#include "studies/store/study_store.h"

namespace podsim::studies::store {
namespace {

using Json = nlohmann::ordered_json;

struct Table {
  const char* name;
  const char* columns;
  const char* order;
};

constexpr std::array<Table, 5> content_tables = {
    {{"study", "key, value", "key"},
     {"machines", "hash, toml", "hash"},
     {"points", "id, position, status, exit_code, error, command, machine, result", "position, id"},
     {"axis_values", "point, axis, kind, text, number", "point, axis"},
     {"metrics", "point, metric, value", "point, metric"}}};

/// A whole number becomes an integer: 8, not 8.0.
Json number_json(double number) {
  constexpr double exactly_whole = 9007199254740992;  // 2^53
  const bool whole = std::abs(number) < exactly_whole && number == std::trunc(number);
  return whole ? Json(std::int64_t(number)) : Json(number);
}

Json values_json(const std::vector<plan::StudyValue>& values) {
  Json json = Json::object();
  for (const plan::StudyValue& value : values)
    json[value.key] = value.number ? number_json(*value.number) : Json(value.text);
  return json;
}

std::vector<plan::StudyValue> values_of_point(SqliteStatement& rows, const std::string& point, const char* kind) {
  std::vector<plan::StudyValue> values;
  rows.bind(point, kind);
  while (rows.step()) values.push_back({rows.text(0), rows.text(1), rows.number(2)});
  return values;
}

Json cell(const SqliteStatement& row, int column) {
  if (row.is_null(column)) return nullptr;
  return row.is_number(column) ? number_json(*row.number(column)) : Json(row.text(column));
}

}  // namespace

std::string study_content(const std::filesystem::path& file) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  std::string text;
  for (const Table& table : content_tables) {
    SqliteStatement rows = database.select(table.name, table.columns, fmt::format("ORDER BY {}", table.order));
    while (rows.step()) {
      Json cells = Json::array({table.name});
      for (int column = 0; column < rows.columns(); ++column) cells.push_back(cell(rows, column));
      text += base::text::json_text(cells) + "\n";
    }
  }
  return text;
}

std::string point_line(const PointRecord& point) {
  Json metrics = Json::object();
  for (const auto& [name, value] : point.metrics) metrics[name] = number_json(value);
  Json line = {{"id", point.id},
               {"position", point.position},
               {"status", point.done ? "done" : "failed"},
               {"axes", values_json(point.axes)},
               {"derived", values_json(point.derived)},
               {"metrics", metrics},
               {"command", point.command}};
  if (!point.done) {
    line["exit_code"] = point.exit_code;
    line["error"] = point.error;
  }
  return base::text::json_text(line) + "\n";
}

std::string study_lines(const std::filesystem::path& file) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  SqliteStatement points =
      database.select("points", "id, position, status = 'done', exit_code, error, command", "ORDER BY position, id");
  SqliteStatement values =
      database.select("axis_values", "axis, text, number", "WHERE point = ?1 AND kind = ?2 ORDER BY rowid");
  SqliteStatement metrics = database.select("metrics", "metric, value", "WHERE point = ?1 ORDER BY rowid");
  std::string text;
  while (points.step()) {
    PointRecord point;
    point.id = points.text(0);
    point.position = points.whole(1);
    point.done = points.whole(2) != 0;
    point.exit_code = int(points.whole(3));
    point.error = points.text(4);
    point.command = points.text(5);
    point.axes = values_of_point(values, point.id, "axis");
    point.derived = values_of_point(values, point.id, "derived");
    metrics.bind(point.id);
    while (metrics.step()) {
      const std::optional<double> value = metrics.number(1);
      if (!value) metrics.reject(1, "a number");
      point.metrics.emplace_back(metrics.text(0), *value);
    }
    text += point_line(point);
  }
  return text;
}

}  // namespace podsim::studies::store
