// SPDX-License-Identifier: Apache-2.0
// Part of report/run/run_report.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/csv_field.h"
#include "hw/energy/event_energy.h"
#include "report/run/run_report.h"

namespace podsim::report::run {
namespace {

constexpr const char* header_text =
    "Rank,Category,HLO op,TF op,#Occurrences,Total time (us),Avg. time (us),Total self time (us),Avg. self time "
    "(us),Total self time (%),Cumulative total self time (%),%time stalled by DMA,Measured GFLOP/s,Measured Memory BW "
    "(GiB/s),Operational Intensity (FLOP/Byte),Bound by,HLO Rematerialization,Outside "
    "Compilation,Products,Multiply-accumulates,Vector "
    "operations,Cross-lane operations,HBM read (B),HBM written (B),ICI sent (B),Energy of events (J)\n";

/// What all executions in a step do, in the columns behind Products.
std::string activity_fields(const hw::Activity& activity) {
  return fmt::format("{},{},{},{},{},{}", activity.units.of<hw::Mxu>().multiply_accumulates,
                     activity.units.of<hw::Vector>().alu_operations, activity.units.of<hw::CrossLane>().operations,
                     (activity.op_read + activity.transfer_read).value(),
                     (activity.op_written + activity.transfer_written).value(), activity.message_bytes.value());
}

std::string line(const RunReport& report, const OpTotal& total, int rank, double share, double cumulative) {
  const sw::compiler::ProgramItem& op = report.program.items[std::size_t(total.last->item)];
  const sw::runtime::ItemResult& item = *total.last;
  const std::int64_t times = total.executions * report.result.steps;
  double us = base::to_duration(total.duration).si() / double(total.executions) * 1e6;
  double seconds = std::max(us * 1e-6, 1e-18);
  double cycles = double(std::max<std::int64_t>(1, item.cost.cycles.value()));
  double stalled = double((item.cost.start_up + item.cost.read_wait + item.cost.write_wait + item.cost.drain).value());
  double bytes = double(op.bytes.value());
  return fmt::format(
      "{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.9f},{:.9f},{:.6f},{:.6f},{:.6f},{:.6f},{},No,No,{},{},{:.9g}\n",
      rank, base::text::csv_field(op.category), base::text::csv_field(op.hlo_text), base::text::csv_field(op.op_name),
      times, us * double(times), us, us * double(times), us, share, cumulative, stalled / cycles,
      op.flops / seconds * 1e-9, bytes / seconds / double(1 << 30), bytes > 0 ? op.flops / bytes : 0,
      sw::runtime::to_string(item.bound), base::text::csv_field(op.products), activity_fields(total.activity),
      hw::energy::event_total(report.machine, total.activity));
}

}  // namespace

std::string ops_csv(const RunReport& report) {
  const std::vector<OpTotal> ops = report.ops();
  double all = 0;
  for (const OpTotal& total : ops) all += double(total.duration.value());
  std::string text = header_text;
  double cumulative = 0;
  int rank = 0;
  for (const OpTotal& total : ops) {
    double share = all > 0 ? double(total.duration.value()) / all : 0;
    cumulative += share;
    text += line(report, total, ++rank, share, cumulative);
  }
  return text;
}

}  // namespace podsim::report::run
