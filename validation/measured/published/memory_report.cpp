// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/published/published_memory.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/shell_word.h"
#include "base/text/text_table.h"
#include "validation/measured/published/published_memory.h"

namespace podsim::validation::measured::published {
namespace {

constexpr double decimal_gb = 1e9, binary_gb = 1 << 30;

std::string command_of(const PublishedMemory& row) {
  if (row.command.empty()) return "";
  std::string line = "podsim";
  for (const std::string& word : row.command) line += " " + base::text::shell_word(word);
  return line;
}

/// simulated / published - 1, if a published GB has `gb` bytes.
double error_of(const SimulatedMemory& row, double gb) {
  return double(row.heap->value()) / (row.published.figure * gb) - 1;
}

std::string missing_because(const SimulatedMemory& row) {
  return row.published.reason.empty() ? row.problem : row.published.reason;
}

}  // namespace

std::string memories_text(const SimulatedMemories& memories) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table(
      {Align::right, Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.row({"", "model", "tokens", "published", "simulated", "error", "if GB are GiB", "the figure contains"});
  const auto percent = [](double error) { return base::text::signed_percent(error); };
  std::string commands, left_out;
  for (std::size_t i = 0; i < memories.rows.size(); ++i) {
    const SimulatedMemory& row = memories.rows[i];
    table.row({fmt::to_string(i + 1), row.published.model, fmt::to_string(row.published.sequence),
               fmt::format("{:.2f} GB", row.published.figure), row.heap ? base::to_string(*row.heap) : "-",
               row.heap ? percent(error_of(row, decimal_gb)) : "", row.heap ? percent(error_of(row, binary_gb)) : "",
               row.published.contains});
    if (!row.published.command.empty()) commands += fmt::format("{:>3}  {}\n", i + 1, command_of(row.published));
    if (!row.heap) {
      left_out += fmt::format("{:>3}  {} is not simulated: {}\n", i + 1, row.published.model, missing_because(row));
    }
  }
  std::string text = table.text();
  if (!commands.empty()) text += "\n" + commands;
  return left_out.empty() ? text : text + "\n" + left_out;
}

std::string memories_json(const SimulatedMemories& memories) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SimulatedMemory& row : memories.rows) {
    nlohmann::ordered_json object = {{"model", row.published.model},
                                     {"tokens_of_a_sequence", row.published.sequence},
                                     {"published_gb", row.published.figure},
                                     {"contains", row.published.contains}};
    object["heap_bytes"] = row.heap ? nlohmann::ordered_json(row.heap->value()) : nlohmann::ordered_json();
    object["error"] = row.heap ? nlohmann::ordered_json(error_of(row, decimal_gb)) : nlohmann::ordered_json();
    object["error_if_gib"] = row.heap ? nlohmann::ordered_json(error_of(row, binary_gb)) : nlohmann::ordered_json();
    object["command"] = command_of(row.published);
    object["not_simulated"] = row.heap ? "" : missing_because(row);
    rows.push_back(std::move(object));
  }
  const nlohmann::ordered_json object = {{"file", memories.file}, {"rows", rows}, {"wall_s", memories.wall_s}};
  return base::text::json_text(object);
}

std::string memories_csv(const SimulatedMemories& memories) {
  std::string text =
      "model,tokens_of_a_sequence,published_gb,contains,heap_bytes,error,error_if_gib,command,not_simulated\n";
  for (const SimulatedMemory& row : memories.rows) {
    std::vector<std::string> cells = {row.published.model,
                                      fmt::to_string(row.published.sequence),
                                      fmt::format("{:.9g}", row.published.figure),
                                      row.published.contains,
                                      row.heap ? fmt::to_string(row.heap->value()) : "",
                                      row.heap ? fmt::format("{:.6f}", error_of(row, decimal_gb)) : "",
                                      row.heap ? fmt::format("{:.6f}", error_of(row, binary_gb)) : "",
                                      command_of(row.published),
                                      row.heap ? "" : missing_because(row)};
    for (std::string& cell : cells) cell = base::text::csv_field(cell);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace podsim::validation::measured::published
