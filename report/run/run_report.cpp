// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_report.h"

#include <algorithm>
#include <map>

#include "sw/compiler/scope_time.h"

namespace podsim::report::run {

namespace {

/// Adds up a count of the items that one core executed.
double executed(const RunReport& report, double sw::compiler::ProgramItem::*count) {
  double sum = 0;
  for (const sw::runtime::ItemResult& item : report.result.items) {
    sum += report.program.items[std::size_t(item.item)].*count * double(item.times);
  }
  return sum;
}

}  // namespace

double RunReport::flops() const {
  return is_part_of_step() ? executed(*this, &sw::compiler::ProgramItem::flops) : program.flops;
}

double RunReport::samples_per_step() const {
  if (operators) return double(operators->samples);
  return partition ? double(partition->samples) : double(batch_per_core * machine.cores_per_chip * chips);
}

double RunReport::samples_per_s() const {
  return step_s() <= 0 || is_part_of_step() ? 0 : samples_per_step() / step_s();
}

double RunReport::tokens_per_s() const {
  return step_s() <= 0 || !partition || is_part_of_step() ? 0 : double(partition->tokens) / step_s();
}

double RunReport::model_utilization() const {
  if (step_s() <= 0 || !partition || is_part_of_step()) return 0;
  return partition->model_flops / (step_s() * machine.peak_flops_per_core() * double(machine.cores_per_chip * chips));
}

double RunReport::mxu_utilization() const {
  const double flops =
      is_part_of_step() ? executed(*this, &sw::compiler::ProgramItem::matmul_flops) : program.matmul_flops;
  return step_s() <= 0 ? 0 : flops / (step_s() * machine.peak_flops_per_core());
}

double RunReport::hbm_utilization() const {
  return step_s() <= 0 ? 0
                       : double(result.activity.core.op_bytes().value()) / (step_s() * machine.hbm.stream_rate.si());
}

std::pair<sw::runtime::Bound, double> RunReport::bound() const {
  std::map<sw::runtime::Bound, std::int64_t> time;
  for (const sw::runtime::ItemResult& item : result.items) time[item.bound] += item.total().value();
  auto most = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
  if (most == time.end() || result.step_time <= base::Time(0)) return {sw::runtime::Bound::latency, 0};
  return {most->first, double(most->second) / double(result.step_time.value())};
}

base::Time RunReport::compute_under(std::string_view scope) const {
  base::Time time;
  for (const sw::runtime::ItemResult& executed : result.items) {
    const sw::compiler::ProgramItem& item = program.items[std::size_t(executed.item)];
    if (item.kind == sw::compiler::ProgramItem::Kind::op && sw::compiler::is_within(item.op_name, scope))
      time += executed.total();
  }
  return time;
}

std::vector<Contention> RunReport::contention() const {
  std::vector<Contention> waits;
  for (const sw::runtime::ContentionResult& wait : result.contention) {
    const std::string name =
        wait.beside < 0 ? "collectives of other cores" : program.items[std::size_t(wait.beside)].hlo_name;
    const auto known = std::ranges::find(waits, name, &Contention::name);
    (known == waits.end() ? waits.emplace_back(name) : *known).time += wait.time;
  }
  return waits;
}

std::vector<OpTotal> RunReport::ops() const {
  std::vector<OpTotal> totals;
  std::map<int, std::size_t> known;
  for (const sw::runtime::ItemResult& item : result.items) {
    const auto [at, is_new] = known.try_emplace(item.item, totals.size());
    OpTotal& total = is_new ? totals.emplace_back() : totals[at->second];
    total.last = &item;
    total.duration += item.total();
    total.executions += item.times;
    const auto known_activity = result.activity.items.find(item.item);
    if (known_activity != result.activity.items.end()) hw::add(known_activity->second, item.times, total.activity);
  }
  std::ranges::stable_sort(totals, std::ranges::greater{}, &OpTotal::duration);
  return totals;
}

}  // namespace podsim::report::run
