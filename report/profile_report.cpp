// SPDX-License-Identifier: Apache-2.0
#include "report/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

constexpr std::size_t worst_shown = 10;
constexpr std::size_t text_shown = 72;

double wrong_by(const validation::profile::ComparedOp& op) {
  return op.modelled_s ? double(op.occurrences) * std::abs(*op.modelled_s - op.measured_s) : 0;
}

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

/// Categories by measured time, longest first.
std::vector<std::pair<std::string, validation::profile::ProfileTotals>> sorted_categories(const ProfileReport& report) {
  std::vector<std::pair<std::string, validation::profile::ProfileTotals>> categories;
  for (const auto& [name, totals] : report.by_category()) categories.emplace_back(name, totals);
  std::ranges::stable_sort(categories, std::greater<>{}, [](const auto& entry) { return entry.second.measured_s; });
  return categories;
}

std::string shown(const std::string& text) {
  return text.size() <= text_shown ? text : text.substr(0, text_shown - 3) + "...";
}

/// "-" where nothing was measured that an error could be of.
std::string measured_error(const validation::profile::ProfileTotals& totals) {
  return totals.measured_s > 0 ? base::text::percent(totals.mean_absolute_error()) : "-";
}
std::string measured_bias(const validation::profile::ProfileTotals& totals) {
  return totals.measured_s > 0 ? base::text::signed_percent(totals.bias()) : "-";
}

std::string profile_share(double part, double all) {
  return base::text::percent(all > 0 ? std::max(0.0, part) / all : 0);
}

std::string sentence(const ProfileReport::NotModelled& rows) {
  return fmt::format("{} row{}, first {}: {}", rows.rows, rows.rows == 1 ? "" : "s", rows.first, rows.reason);
}

std::string category_table(const ProfileReport& report, double all) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"category", "ops", "share of time", "error", "bias"});
  for (const auto& [name, totals] : sorted_categories(report)) {
    table.row({name, std::to_string(totals.ops), base::text::percent(totals.measured_s / all), measured_error(totals),
               measured_bias(totals)});
  }
  return table.text();
}

std::string worst_ops_table(const ProfileReport& report, double all) {
  base::text::TextTable table({Align::right, Align::right, Align::right, Align::left});
  table.row({"measured", "modelled", "of the error", "furthest off"});
  double wrong = 0;
  for (const validation::profile::ComparedOp& op : report.ops) wrong += wrong_by(op);
  const std::vector<const validation::profile::ComparedOp*> worst = report.worst();
  for (std::size_t i = 0; i < std::min(worst.size(), worst_shown); ++i) {
    table.row({microseconds(worst[i]->measured_s), microseconds(*worst[i]->modelled_s),
               base::text::percent(wrong > 0 ? wrong_by(*worst[i]) / wrong : 0),
               shown((worst[i]->by_counts ? "by counts: " : "") + worst[i]->hlo_text)});
  }
  return all > 0 ? table.text() : "";
}

}  // namespace

validation::profile::ProfileTotals ProfileReport::totals() const {
  validation::profile::ProfileTotals sum;
  for (const validation::profile::ComparedOp& op : ops) sum.add(op);
  return sum;
}

std::map<std::string, validation::profile::ProfileTotals> ProfileReport::by_category() const {
  std::map<std::string, validation::profile::ProfileTotals> sums;
  for (const validation::profile::ComparedOp& op : ops) {
    if (op.modelled_s) sums[op.category].add(op);
  }
  return sums;
}

std::map<std::string, validation::profile::ProfileTotals> ProfileReport::by_products() const {
  std::map<std::string, validation::profile::ProfileTotals> sums;
  for (const validation::profile::ComparedOp& op : ops) {
    if (!op.products.empty()) sums[op.products].add(op);
  }
  return sums;
}

validation::profile::ProfileTotals ProfileReport::by_counts() const {
  validation::profile::ProfileTotals sum;
  for (const validation::profile::ComparedOp& op : ops) {
    if (op.by_counts) sum.add(op);
  }
  return sum;
}

double ProfileReport::waiting_s() const {
  double sum = 0;
  for (const validation::profile::ComparedOp& op : ops) sum += double(op.occurrences) * op.waiting_s();
  return sum;
}

std::size_t ProfileReport::without_text() const {
  return std::size_t(
      std::ranges::count_if(ops, [](const validation::profile::ComparedOp& op) { return !op.modelled_s; }));
}

double ProfileReport::without_text_s() const {
  double sum = 0;
  for (const validation::profile::ComparedOp& op : ops) {
    if (!op.modelled_s) sum += double(op.occurrences) * op.measured_s;
  }
  return sum;
}

std::vector<ProfileReport::NotModelled> ProfileReport::not_modelled() const {
  std::vector<NotModelled> reasons;
  for (const validation::profile::ComparedOp& op : ops) {
    if (op.not_modelled.empty()) continue;
    auto found = std::ranges::find(reasons, op.not_modelled, &NotModelled::reason);
    if (found == reasons.end()) {
      reasons.push_back({op.not_modelled, 0, 0, op.line > 0 ? fmt::format("in line {}", op.line) : op.name});
      found = reasons.end() - 1;
    }
    ++found->rows;
    found->measured_s += double(op.occurrences) * op.measured_s;
  }
  return reasons;
}

std::vector<const validation::profile::ComparedOp*> ProfileReport::worst() const {
  std::vector<const validation::profile::ComparedOp*> sorted;
  for (const validation::profile::ComparedOp& op : ops) {
    if (op.modelled_s) sorted.push_back(&op);
  }
  std::ranges::stable_sort(sorted, std::greater<>{},
                           [](const validation::profile::ComparedOp* op) { return wrong_by(*op); });
  return sorted;
}

std::string profile_text(const ProfileReport& report) {
  const validation::profile::ProfileTotals all = report.totals();
  const double measured = all.measured_s + report.without_text_s();
  base::text::TextTable head({Align::left, Align::left});
  head.row({"profile", fmt::format("{}, {} rows, {:.3f} s", report.profile, report.ops.size(), measured)});
  if (!report.measured_on.empty()) {
    const std::size_t others = report.measured_on.size() - 1;
    head.row({"measured on", report.measured_on.front() + (others > 0 ? fmt::format(" and {} more", others) : "")});
  }
  head.row({"machine", report.machine + (report.slice.empty() ? "" : ", collectives on " + report.slice)});
  head.row({"error", measured_error(all) + " mean absolute, time-weighted"});
  head.row({"bias", measured_bias(all)});
  if (const validation::profile::ProfileTotals counted = report.by_counts(); counted.ops > 0) {
    head.row({"by counts", fmt::format("{} row{} whose text and counts disagree, {} of the time", counted.ops,
                                       counted.ops == 1 ? "" : "s", profile_share(counted.measured_s, measured))});
  }
  for (const auto& [text, totals] : report.by_products()) {
    if (text.ends_with("bf16")) continue;  // one pass
    head.row({"products", text + ", " + profile_share(totals.measured_s, measured) + " of the time"});
  }
  if (const double waiting = report.waiting_s(); waiting > 0) {
    head.row({"waiting", "collectives beyond their transfer, " + profile_share(waiting, measured) + " of the time"});
  }
  for (const ProfileReport::NotModelled& other : report.not_modelled()) {
    head.row({"not modelled", sentence(other) + ", " + profile_share(other.measured_s, measured) + " of the time"});
  }
  return head.text() + "\n" + category_table(report, measured) + "\n" + worst_ops_table(report, measured);
}

std::string profile_json(const ProfileReport& report) {
  const validation::profile::ProfileTotals all = report.totals();
  const validation::profile::ProfileTotals counted = report.by_counts();
  Json categories = Json::array(), worst = Json::array();
  for (const auto& [name, totals] : sorted_categories(report)) {
    categories.push_back({{"category", name},
                          {"ops", totals.ops},
                          {"measured_s", totals.measured_s},
                          {"modelled_s", totals.modelled_s},
                          {"mae", totals.mean_absolute_error()},
                          {"bias", totals.bias()}});
  }
  const std::vector<const validation::profile::ComparedOp*> sorted = report.worst();
  for (std::size_t i = 0; i < std::min(sorted.size(), worst_shown); ++i) {
    worst.push_back({{"name", sorted[i]->name},
                     {"category", sorted[i]->category},
                     {"occurrences", sorted[i]->occurrences},
                     {"measured_s", sorted[i]->measured_s},
                     {"modelled_s", *sorted[i]->modelled_s},
                     {"by_counts", sorted[i]->by_counts},
                     {"products", sorted[i]->products}});
  }
  Json products = Json::array();
  for (const auto& [text, totals] : report.by_products()) {
    products.push_back({{"products", text},
                        {"ops", totals.ops},
                        {"measured_s", totals.measured_s},
                        {"modelled_s", totals.modelled_s}});
  }
  std::vector<std::string> warnings;
  for (const ProfileReport::NotModelled& rows : report.not_modelled()) {
    warnings.push_back("not modelled: " + sentence(rows));
  }
  const Json json = {{"schema_version", 1},
                     {"command", "ops"},
                     {"profile", report.profile},
                     {"measured_on", report.measured_on},
                     {"machine", report.machine},
                     {"slice", report.slice},
                     {"ops", all.ops},
                     {"measured_s", all.measured_s},
                     {"modelled_s", all.modelled_s},
                     {"time_weighted_mae", all.mean_absolute_error()},
                     {"bias", all.bias()},
                     {"without_text", {{"ops", report.without_text()}, {"measured_s", report.without_text_s()}}},
                     {"by_counts", {{"ops", counted.ops}, {"measured_s", counted.measured_s}}},
                     {"waiting_s", report.waiting_s()},
                     {"products", products},
                     {"by_category", categories},
                     {"worst", worst},
                     {"warnings", warnings},
                     {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

std::string profile_csv(const ProfileReport& report) {
  std::string text = "name,category,occurrences,measured_us,modelled_us,error,basis,products,not_modelled,hlo_op\n";
  for (const validation::profile::ComparedOp& op : report.ops) {
    std::string modelled, error;
    if (op.modelled_s) {
      modelled = fmt::format("{:.6f}", *op.modelled_s * 1e6);
      if (op.measured_s > 0) error = fmt::format("{:.4f}", *op.modelled_s / op.measured_s - 1);
    }
    text += fmt::format("{},{},{},{:.6f},{},{},{},{},{},{}\n", base::text::csv_field(op.name),
                        base::text::csv_field(op.category), op.occurrences, op.measured_s * 1e6, modelled, error,
                        op.by_counts ? "by counts" : "", base::text::csv_field(op.products),
                        base::text::csv_field(op.not_modelled), base::text::csv_field(op.hlo_text));
  }
  return text;
}

}  // namespace podsim::report
