// SPDX-License-Identifier: Apache-2.0
#include "report/levels/levels_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/slot_names.h"

namespace podsim::report::levels {
namespace {

using Align = base::text::TextTable::Align;
using validation::kernels::OpLevels;

constexpr double close_error = 0.03;
constexpr std::size_t shown_ops = 30, shown_stalls = 2;

double share_where(const LevelsReport& report, const std::function<bool(const OpLevels&)>& holds) {
  double cycles = 0;
  for (const OpLevels& op : report.ops) {
    if (holds(op)) cycles += op.step_cycles();
  }
  const double all = report.step_cycles();
  return all > 0 ? cycles / all : 0;
}

std::vector<OpLevels> longest_first(std::vector<OpLevels> ops) {
  std::ranges::stable_sort(ops, std::greater{}, &OpLevels::step_cycles);
  return ops;
}

/// The longest waits: "sync_flag 60 %, branch 3 %".
std::string waits_of(const OpLevels& op) {
  std::vector<std::pair<double, int>> waits;
  for (int stall = 0; stall < hw::bundle::stall_reasons; ++stall)
    waits.emplace_back(double(op.bundles.stalls[std::size_t(stall)].value()), stall);
  std::ranges::stable_sort(waits, std::greater{}, &std::pair<double, int>::first);
  std::string text;
  for (std::size_t i = 0; i < shown_stalls && waits[i].first > 0; ++i) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", to_string(hw::bundle::Stall(waits[i].second)),
                        100 * waits[i].first / double(op.bundles.cycles.value()));
  }
  return text;
}

std::string verdict(const OpLevels& op) {
  if (!op.has_code()) return "no: " + op.cause;
  if (!op.has_bound) return "yes: no bound";
  if (!op.verification) return "yes";
  return op.differs() ? "DIFFERS" : "verified";
}

/// Shares of the step's cycles in ops without code, by cause; code with other results counts as none.
std::string causes(const LevelsReport& report) {
  std::map<std::string, double> cycles;
  for (const OpLevels& op : report.ops) {
    if (!op.has_right_code()) cycles[op.has_code() ? "differs" : op.cause] += op.step_cycles();
  }
  std::vector<std::pair<std::string, double>> sorted(cycles.begin(), cycles.end());
  std::ranges::stable_sort(sorted, std::greater{}, &std::pair<std::string, double>::second);
  std::string text;
  for (const auto& [cause, sum] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, base::text::percent(sum / report.step_cycles()));
  return text;
}

}  // namespace

double LevelsReport::step_cycles() const {
  double cycles = 0;
  for (const OpLevels& op : ops) cycles += op.step_cycles();
  return cycles;
}

double LevelsReport::with_code() const {
  return share_where(*this, [](const OpLevels& op) { return op.has_right_code(); });
}

double LevelsReport::verified() const {
  return share_where(*this, [](const OpLevels& op) { return op.verification && op.verification->passed(); });
}

double LevelsReport::close_in_step() const {
  return share_where(
      *this, [](const OpLevels& op) { return op.has_right_code() && std::abs(op.step_error()) <= close_error; });
}

double LevelsReport::close_at_equal_tiles() const {
  return share_where(
      *this, [](const OpLevels& op) { return op.has_right_code() && std::abs(op.tile_error()) <= close_error; });
}

int LevelsReport::differing() const {
  return int(std::ranges::count_if(ops, [](const OpLevels& op) { return op.differs(); }));
}

std::string levels_text(const LevelsReport& report) {
  using base::text::percent;
  const auto with_code = std::ranges::count_if(report.ops, [](const OpLevels& op) { return op.has_right_code(); });
  std::string text = fmt::format("{} on a core of {}: {} distinct ops, one by one\n\n", report.program, report.machine,
                                 report.ops.size());
  text +=
      fmt::format("have code         {} ops, {} of their time in the step\n", with_code, percent(report.with_code()));
  if (const std::string missing = causes(report); !missing.empty())
    text += fmt::format("have none         {}\n", missing);
  text += fmt::format("verified          {} of the time; {} differ\n", percent(report.verified()), report.differing());
  text += fmt::format("within 3 %        {} of the time at equal tiles, {} in the step\n\n",
                      percent(report.close_at_equal_tiles()), percent(report.close_in_step()));
  base::text::TextTable table({Align::left, Align::right, Align::left, Align::right, Align::right, Align::right,
                               Align::right, Align::right, Align::left});
  table.row({"op", "time", "code", "bundles", "tiles", "", "step", "", "waits"});
  const std::vector<OpLevels> ops = longest_first(report.ops);
  for (std::size_t i = 0; i < ops.size() && i < shown_ops; ++i) {
    const OpLevels& op = ops[i];
    std::vector<std::string> row{op.op.name, percent(op.step_cycles() / report.step_cycles()), verdict(op)};
    if (op.has_code()) {
      row.insert(row.end(), {std::to_string(op.bundles.cycles.value()), std::to_string(op.tile.value()),
                             base::text::signed_percent(op.tile_error()), std::to_string(op.step.value()),
                             base::text::signed_percent(op.step_error()), waits_of(op)});
    } else {
      row.insert(row.end(), {"", "", "", std::to_string(op.step.value())});
    }
    table.row(std::move(row));
  }
  if (ops.size() > shown_ops) text += fmt::format("the {} ops with the most time; --csv has all\n", shown_ops);
  return text + table.text();
}

std::string levels_json(const LevelsReport& report) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["command"] = "levels";
  json["program"] = report.program;
  json["machine"] = report.machine;
  json["with_code_share"] = report.with_code();
  json["verified_share"] = report.verified();
  json["differing_ops"] = report.differing();
  json["close_share"] = report.close_at_equal_tiles();
  json["close_in_step_share"] = report.close_in_step();
  json["ops"] = nlohmann::ordered_json::array();
  for (const OpLevels& op : longest_first(report.ops)) {
    nlohmann::ordered_json entry;
    entry["op"] = op.op.name;
    entry["category"] = op.op.category;
    entry["executions"] = op.op.executions;
    entry["step_cycles"] = op.step.value();
    if (op.has_code()) {
      entry["bundle_cycles"] = op.bundles.cycles.value();
      entry["tile_cycles"] = op.tile.value();
      entry["bundles"] = op.bundles.bundles;
      if (op.verification) entry["verified"] = op.verification->passed();
    } else {
      entry["no_code"] = op.cause;
    }
    json["ops"].push_back(std::move(entry));
  }
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json);
}

std::string levels_csv(const LevelsReport& report) {
  using base::text::csv_field;
  std::string text = "op,category,origin,executions,time_share,code,step_cycles,tile_cycles,bundle_cycles,bundles";
  for (int slot = 0; slot < hw::isa::slots; ++slot) text += fmt::format(",{}", slot_name(hw::isa::Slot(slot)));
  for (int stall = 0; stall < hw::bundle::stall_reasons; ++stall)
    text += fmt::format(",{}", to_string(hw::bundle::Stall(stall)));
  text += '\n';
  for (const OpLevels& op : longest_first(report.ops)) {
    text += fmt::format("{},{},{},{},{:.6f},{},{}", csv_field(op.op.name), csv_field(op.op.category),
                        csv_field(op.op.origin), op.op.executions, op.step_cycles() / report.step_cycles(),
                        csv_field(verdict(op)), op.step.value());
    if (op.has_code()) {
      text += fmt::format(",{},{},{}", op.tile.value(), op.bundles.cycles.value(), op.bundles.bundles);
      for (const std::int64_t operations : op.bundles.slot_use) text += fmt::format(",{}", operations);
      for (const base::Cycles stall : op.bundles.stalls) text += fmt::format(",{}", stall.value());
    } else {
      text.append(std::size_t(3 + hw::isa::slots + hw::bundle::stall_reasons), ',');
    }
    text += '\n';
  }
  return text;
}

}  // namespace podsim::report::levels
