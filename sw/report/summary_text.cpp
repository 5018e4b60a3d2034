// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "sw/report/run_report.h"

namespace podsim::sw {
namespace {

using Align = base::TextTable::Align;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string milliseconds(base::Time time) { return fmt::format("{:.3f} ms", to_duration(time).si() * 1e3); }

double share_of_step(const RunReport& report, base::Time time) {
  return report.result.step_time <= base::Time(0) ? 0 : double(time.value()) / double(report.result.step_time.value());
}

std::string part(const RunReport& report, const char* name, base::Time time) {
  return fmt::format("{} {} ({})", name, milliseconds(time), percent(share_of_step(report, time)));
}

std::string headline(const RunReport& r) {
  return fmt::format("{} on {} {} ({} chips, {} cores), batch {} per core, detail {}{}\n\n", r.workload, r.machine.name,
                     r.slice, r.chips, r.chips * r.machine.cores_per_chip, r.batch_per_core, r.detail,
                     r.result.partial ? "  [partial: interrupted]" : "");
}

std::string figures(const RunReport& r) {
  auto [bound, share] = r.bound();
  base::TextTable table({Align::left, Align::left});
  table.row({"step time", fmt::format("{}   {:.0f} samples/s", milliseconds(r.result.step_time), r.samples_per_s())});
  table.row({"bound by", fmt::format("{}: {} of the step", to_string(bound), percent(share))});
  table.row({"utilisation", fmt::format("MXU {}   HBM {}   ICI {}", percent(r.mxu_utilization()),
                                        percent(r.hbm_utilization()), percent(r.result.ici_utilization))});
  table.row({"time", part(r, "compute", r.result.compute) + "   " + part(r, "collectives", r.result.collective) +
                         "   " + part(r, "infeed", r.result.infeed)});
  table.row({"work per core",
             fmt::format("{:.4g} FLOP   {} through HBM", r.program.flops, base::to_string(r.result.hbm_bytes))});
  table.row(
      {"memory", fmt::format("{} of {} per core at the peak, {} of it parameters", base::to_string(r.memory.peak),
                             base::to_string(r.machine.hbm.capacity_per_core), base::to_string(r.memory.parameters))});
  for (const CollectiveResult& c : r.result.collectives) {
    table.row({c.kind, fmt::format("{} {} over {} cores in {} ({})", base::to_string(c.bytes), c.element_type,
                                   c.group_size, milliseconds(c.time), c.algorithm)});
  }
  return table.text();
}

std::string costliest_ops(const RunReport& r) {
  std::vector<const ItemResult*> items;
  for (const ItemResult& item : r.result.items) items.push_back(&item);
  std::size_t shown = std::min<std::size_t>(5, items.size());
  std::ranges::stable_sort(items, std::ranges::greater{}, &ItemResult::duration);
  base::TextTable table({Align::right, Align::right, Align::left, Align::left, Align::left});
  table.row({"time", "share", "bound by", "category", "op"});
  for (std::size_t i = 0; i < shown; ++i) {
    const ProgramItem& op = r.program.items[items[i]->item];
    table.row({milliseconds(items[i]->duration), percent(share_of_step(r, items[i]->duration)),
               to_string(items[i]->bound), op.category, op.op_name.empty() ? op.hlo_name : op.op_name});
  }
  return "\nthe costliest ops of " + std::to_string(items.size()) + " per step\n" + table.text();
}

}  // namespace

std::string summary_text(const RunReport& report) {
  std::string text = headline(report) + figures(report) + costliest_ops(report);
  for (const std::string& note : report.result.notes) text += "\nnote: " + note + "\n";
  for (const std::string& warning : report.warnings) text += "\nwarning: " + warning + "\n";
  return text;
}

}  // namespace podsim::sw
