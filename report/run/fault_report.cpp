// SPDX-License-Identifier: Apache-2.0
#include "report/run/fault_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/run/run_report.h"

namespace podsim::report::run {
namespace {

constexpr std::size_t max_lossy_collectives = 6;

double fraction(base::Time part, base::Time whole) {
  return whole > base::Time(0) ? double(part.value()) / double(whole.value()) : 0;
}

std::string in_ms(base::Time time) { return fmt::format("{:.3f} ms", double(time.value()) * 1e-9); }
std::string lost_ms(base::Time time) { return fmt::format("{:+.3f} ms", double(time.value()) * 1e-9); }

/// Collectives by what their executions in the step lost, from the last core in to the last core out; the largest loss
/// first. The program is the same, and so are the collectives and their order.
std::vector<std::pair<const sw::runtime::CollectiveResult*, base::Time>> lossy_collectives(
    const sw::runtime::RunResult& faulty, const sw::runtime::RunResult& healthy) {
  std::vector<std::pair<const sw::runtime::CollectiveResult*, base::Time>> lossy;
  const std::size_t both = std::min(faulty.collectives.size(), healthy.collectives.size());
  for (std::size_t i = 0; i < both; ++i) {
    const base::Time lost = faulty.collectives[i].time - healthy.collectives[i].time;
    if (lost > base::Time(0)) lossy.emplace_back(&faulty.collectives[i], lost);
  }
  std::ranges::stable_sort(lossy, [](const auto& a, const auto& b) { return a.second > b.second; });
  return lossy;
}

double mean_s(const std::vector<base::Time>& times) {
  double sum = 0;
  for (const base::Time time : times) sum += base::to_duration(time).si();
  return times.empty() ? 0 : sum / double(times.size());
}

/// What the steps of the run lost in the mean.
double mean_lost_s(const RunReport& report) {
  return mean_s(report.result.step_times) - mean_s(report.faults->healthy->step_times);
}

/// What was to be expected of draws, with the mean of all steps.
std::string draws_text(const RunReport& report) {
  if (report.faults->expected.empty()) return "";
  std::string text = "\n";
  for (const ExpectedLargest& of : report.faults->expected) {
    const std::string draws = base::text::counted(of.draws, of.of_hosts ? "host" : "chip");
    text += of.delay_s ? fmt::format("{}: the last of {} begins {:.3f} ms late in the mean\n", of.fault, draws,
                                     *of.delay_s * 1e3)
                       : fmt::format("{}: the slowest of {} takes {} longer in the mean\n", of.fault, draws,
                                     base::text::percent(*of.longer, 2));
  }
  return text + fmt::format("{} lost {:.3f} ms in the mean\n",
                            base::text::counted(report.result.steps, "simulated step"), mean_lost_s(report) * 1e3);
}

}  // namespace

std::vector<FaultCost> fault_costs(const sw::runtime::RunResult& faulty, const sw::runtime::RunResult& healthy) {
  return {{"ops", faulty.compute, healthy.compute},
          {"waiting for slower cores", faulty.waiting, healthy.waiting},
          {"collectives", faulty.collective - faulty.waiting, healthy.collective - healthy.waiting},
          {"infeed", faulty.infeed, healthy.infeed},
          {"late begin and other", faulty.other, healthy.other}};
}

std::string faults_line(const RunReport& report) {
  if (!report.faults) return "";
  std::string faults = fmt::format("{}", fmt::join(report.faults->faults, ", "));
  const auto& healthy = report.faults->healthy;
  if (!healthy || report.is_part_of_step()) return faults;
  const base::Time step = report.result.step_time;
  return fmt::format("{}: step {}, healthy {} ({})", faults, in_ms(step), in_ms(healthy->step_time),
                     base::text::signed_percent(fraction(step - healthy->step_time, healthy->step_time), 2));
}

std::string faults_text(const RunReport& report) {
  if (!report.faults || !report.faults->healthy || report.is_part_of_step()) return "";
  using Align = base::text::TextTable::Align;
  const sw::runtime::RunResult& healthy = *report.faults->healthy;
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"", "with faults", "healthy", "lost", "of the step"});
  const auto row = [&](const FaultCost& cost) {
    table.row({"  " + cost.name, in_ms(cost.faulty), in_ms(cost.healthy), lost_ms(cost.lost()),
               base::text::signed_percent(fraction(cost.lost(), healthy.step_time), 2)});
  };
  for (const FaultCost& cost : fault_costs(report.result, healthy)) {
    if (cost.faulty != base::Time(0) || cost.healthy != base::Time(0)) row(cost);
  }
  row({"step", report.result.step_time, healthy.step_time});
  std::string text = fmt::format("\nwhat the faults cost, on chip {}\n", report.faults->chip) + table.text();
  text += draws_text(report);
  const auto lossy = lossy_collectives(report.result, healthy);
  if (lossy.empty()) return text;
  base::text::TextTable list({Align::left, Align::right, Align::right, Align::left});
  for (std::size_t i = 0; i < std::min(lossy.size(), max_lossy_collectives); ++i) {
    const auto& [of, lost] = lossy[i];
    list.row({"  " + of->kind, lost_ms(lost), base::text::signed_percent(fraction(lost, of->time - lost), 1),
              fmt::format("{} times {} over {}", of->count, base::to_string(of->bytes),
                          base::text::counted(of->group_size, "core"))});
  }
  text += "\ncollectives that lost most, from the last core in to the last core out\n" + list.text();
  if (lossy.size() > max_lossy_collectives) {
    text += fmt::format("  and {} others\n", lossy.size() - max_lossy_collectives);
  }
  return text;
}

void add_faults(nlohmann::ordered_json& json, const RunReport& report) {
  if (!report.faults) return;
  const auto seconds = [](base::Time time) { return base::to_duration(time).si(); };
  nlohmann::ordered_json faults = {{"list", report.faults->faults}, {"chip", report.faults->chip}};
  if (const auto& healthy = report.faults->healthy; healthy && !report.is_part_of_step()) {
    faults["healthy_step_time_s"] = seconds(healthy->step_time);
    faults["slowdown"] = fraction(report.result.step_time, healthy->step_time);
    const std::vector<FaultCost> costs = fault_costs(report.result, *healthy);
    faults["lost_s"] = {{"step", seconds(report.result.step_time - healthy->step_time)},
                        {"ops", seconds(costs[0].lost())},
                        {"waiting", seconds(costs[1].lost())},
                        {"collectives", seconds(costs[2].lost())},
                        {"infeed", seconds(costs[3].lost())},
                        {"other", seconds(costs[4].lost())}};
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [of, lost] : lossy_collectives(report.result, *healthy)) {
      list.push_back(
          {{"kind", of->kind}, {"bytes", of->bytes.value()}, {"count", of->count}, {"lost_s", seconds(lost)}});
    }
    faults["collectives"] = std::move(list);
  }
  if (faults.contains("lost_s")) faults["mean_lost_s"] = mean_lost_s(report);
  for (const ExpectedLargest& of : report.faults->expected) {
    nlohmann::ordered_json expected = {{"fault", of.fault}, {"draws", of.draws}};
    if (of.delay_s) expected["delay_s"] = *of.delay_s;
    if (of.longer) expected["longer"] = *of.longer;
    faults["expected"].push_back(std::move(expected));
  }
  json["faults"] = std::move(faults);
}

}  // namespace podsim::report::run
