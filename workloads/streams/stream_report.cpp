// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/stream_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::workloads::streams {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;
using Table = StreamReport::Table;

constexpr std::size_t shown_values = 6;

std::string percent(double share) { return base::text::percent(share, 2); }

std::string difference(double value, double reference) { return base::text::signed_percent(value / reference - 1); }

/// Figures of one table in the seed and in the expansion, and how far the expansion's is from the seed's.
std::string table_text(const Table& seed, const Table& expansion, std::int64_t shards) {
  base::text::TextTable text({Align::left, Align::right, Align::right, Align::right});
  text.row({seed.name, "seed", "expansion", "difference"});
  text.row({"rows", fmt::format("{}", seed.figures.rows), fmt::format("{}", expansion.figures.rows), ""});
  text.row({"look-ups counted", fmt::format("{:.0f}", seed.figures.lookups),
            fmt::format("{:.0f}", expansion.figures.lookups), ""});
  const auto compared = [&](const std::string& name, const std::function<double(const Table&)>& value,
                            const std::function<std::string(double)>& form) {
    text.row({name, form(value(seed)), form(value(expansion)), difference(value(expansion), value(seed))});
  };
  const auto plain = [](double value) { return fmt::format("{:.3f}", value); };
  compared(
      "popularity exponent", [](const Table& table) { return table.figures.exponent; }, plain);
  compared(
      "look-ups of the top 0.1 %", [](const Table& table) { return table.figures.top_thousandth; }, percent);
  compared(
      "look-ups of the top 1 %", [](const Table& table) { return table.figures.top_hundredth; }, percent);
  compared(
      "look-ups of the top 10 %", [](const Table& table) { return table.figures.top_tenth; }, percent);
  text.row({"look-ups in a batch", fmt::format("{}", seed.batch), fmt::format("{}", expansion.batch), ""});
  compared(
      "duplicates in a batch", [](const Table& table) { return table.duplicate_rate; }, percent);
  compared(
      "  expected", [](const Table& table) { return table.expected_duplicate_rate; }, percent);
  text.row({fmt::format("largest of {} shards", shards), fmt::format("{:.3f}", seed.load.lookups),
            fmt::format("{:.3f}", expansion.load.lookups), ""});
  text.row({"  distinct rows of a batch", fmt::format("{:.3f}", seed.load.distinct),
            fmt::format("{:.3f}", expansion.load.distinct), ""});
  return text.text();
}

Json table_json(const Table& table) {
  return {{"rows", table.figures.rows},
          {"lookups", table.figures.lookups},
          {"popularity_exponent", table.figures.exponent},
          {"top_thousandth_share", table.figures.top_thousandth},
          {"top_hundredth_share", table.figures.top_hundredth},
          {"top_tenth_share", table.figures.top_tenth},
          {"batch", table.batch},
          {"duplicate_rate", table.duplicate_rate},
          {"expected_duplicate_rate", table.expected_duplicate_rate},
          {"largest_shard", table.load.lookups},
          {"largest_shard_distinct", table.load.distinct}};
}

Json tables_json(const std::vector<Table>& tables) {
  Json json;
  for (const Table& table : tables) json[table.name] = table_json(table);
  return json;
}

}  // namespace

StreamReport::Table table_figures(std::string name, const TableCounts& counts, std::int64_t shards) {
  const double batch = double(counts.batch);
  return {std::move(name),         popularity_figures(counts.lookups),    counts.batch,
          counts.duplicate_rate(), duplicate_rate(counts.lookups, batch), shard_load(counts.lookups, batch, shards)};
}

std::string stream_text(const StreamReport& report) {
  std::string text = fmt::format(
      "fractal expansion, {} x {} copies of a seed of {} users and {} items with {} interactions (seed {})\n"
      "{} users, {} items, {:.0f} interactions expected, {} of them streamed\n\n",
      report.expansion.user_factor, report.expansion.item_factor, report.seed.users, report.seed.items,
      report.seed.interactions, report.seed.seed, report.users, report.items, report.expected_interactions,
      report.streamed);
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    text += table_text(report.seed_tables[i], report.tables[i], report.shards) + "\n";
  }
  text += "singular values of the reduced copy:";
  for (std::size_t i = 0; i < std::min(shown_values, report.singular_values.size()); ++i) {
    text += fmt::format(" {:.3f}", report.singular_values[i]);
  }
  text += report.singular_values.size() > shown_values ? " ...\n" : "\n";
  text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it for the seed, {:.1f} million interactions/s counted\n",
                      report.wall_s, report.seed_s, double(report.streamed) / std::max(1e-9, report.stream_s) / 1e6);
  return text;
}

std::string stream_json(const StreamReport& report) {
  const Json json = {{"schema_version", 1},
                     {"seed", report.seed.seed},
                     {"user_factor", report.expansion.user_factor},
                     {"item_factor", report.expansion.item_factor},
                     {"users", report.users},
                     {"items", report.items},
                     {"expected_interactions", report.expected_interactions},
                     {"streamed", report.streamed},
                     {"shards", report.shards},
                     {"seed_tables", tables_json(report.seed_tables)},
                     {"tables", tables_json(report.tables)},
                     {"reduced_singular_values", report.singular_values},
                     {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::workloads::streams
