// SPDX-License-Identifier: Apache-2.0
// Part of report/run/run_report.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "hw/memory_levels.h"
#include "report/run/energy_report.h"
#include "report/run/job_report.h"
#include "report/run/run_report.h"

namespace podsim::report::run {
namespace {

/// " (s8 335 MB, bf16 2.1 MB)" of parameters of several types, else empty.
std::string types_text(const sw::compiler::MemoryAccount::Kinds& kinds) {
  if (kinds.parameter_types.size() < 2) return "";
  std::vector<std::string> types;
  for (const auto& of : kinds.parameter_types) {
    types.push_back(hlo::to_string(of.type) + " " + base::to_string(of.bytes));
  }
  return fmt::format(" ({})", fmt::join(types, ", "));
}

/// "205 MB of it parameters, 410 MB slots of the optimiser"
std::string arguments_text(const sw::compiler::MemoryAccount& memory) {
  if (!memory.kinds) return base::to_string(memory.arguments) + " of it arguments";
  std::string text = base::to_string(memory.kinds->parameters) + " of it parameters" + types_text(*memory.kinds);
  if (memory.kinds->slots > base::Bytes(0)) {
    text += fmt::format(", {} slots of the optimiser", base::to_string(memory.kinds->slots));
  }
  if (memory.kinds->caches > base::Bytes(0)) {
    text += fmt::format(", {} of cached tokens", base::to_string(memory.kinds->caches));
  }
  return text;
}

using Align = base::text::TextTable::Align;

/// In milliseconds, or below ten microseconds in the unit that keeps its digits.
std::string milliseconds(base::Time time) {
  const double ps = double(time.value());
  if (time == base::Time(0) || ps >= 1e7) return fmt::format("{:.3f} ms", ps * 1e-9);
  return ps >= 1e4 ? fmt::format("{:.3f} us", ps * 1e-6) : fmt::format("{:.3f} ns", ps * 1e-3);
}

/// In TFLOP, or below ten GFLOP in the unit that keeps its digits.
std::string flops_text(double flops) {
  if (flops == 0 || flops >= 1e10) return fmt::format("{:.2f} TFLOP", flops * 1e-12);
  if (flops >= 1e7) return fmt::format("{:.2f} GFLOP", flops * 1e-9);
  return flops >= 1e4 ? fmt::format("{:.2f} MFLOP", flops * 1e-6) : fmt::format("{:.0f} FLOP", flops);
}

double share_of_step(const RunReport& report, base::Time time) {
  return report.result.step_time <= base::Time(0) ? 0 : double(time.value()) / double(report.result.step_time.value());
}

std::string recomputed_text(hlo::transform::Rematerialisation policy) {
  switch (policy) {
    case hlo::transform::Rematerialisation::ops:
      return "single ops whose results free most";
    case hlo::transform::Rematerialisation::dots:
      return "all but products";
    case hlo::transform::Rematerialisation::unbatched_dots:
      return "all but products without batch dimensions";
    default:
      return "whole layers";
  }
}

std::string detail_text(const RunReport& r) {
  const std::vector<std::string>& real = r.result.real_chips;
  const std::int64_t replayed = r.chips - std::int64_t(real.size());
  if (real.empty()) return "all replayed";
  if (!r.result.parts.ops.empty())
    return fmt::format("chip {} simulated with its switch and banks, {} replayed", real[0], replayed);
  if (replayed == 0) return "all simulated in detail";
  if (real.size() == 1) return fmt::format("chip {} simulated in detail, {} replayed", real[0], replayed);
  return fmt::format("{} chips simulated in detail, {} replayed", real.size(), replayed);
}

std::string headline(const RunReport& r) {
  std::string batch = r.batch_per_core > 0 ? fmt::format("batch {} per core, ", r.batch_per_core) : "";
  if (r.operators && r.operators->samples > 0) batch = fmt::format("batch {}, ", r.operators->samples);
  if (r.partition) batch = r.partition->samples > 0 ? fmt::format("batch {}, ", r.partition->samples) : "";
  return fmt::format("{} on {} slice of {}: {}, {}, {}{}{}\n\n", r.workload, base::text::with_article(r.slice),
                     r.machine.name, base::text::counted(r.chips, "chip"),
                     base::text::counted(r.chips * r.machine.cores_per_chip, "core"), batch, detail_text(r),
                     r.result.partial ? " [partial: interrupted]" : "");
}

/// "HBM for 65.4 % of the step, MXU 20.1 %, ...": shares of the step by the unit that bounds the ops.
std::string bounds(const RunReport& r) {
  std::map<sw::runtime::Bound, base::Time> times;
  for (const sw::runtime::ItemResult& item : r.result.items) times[item.bound] += item.total();
  std::vector<std::pair<sw::runtime::Bound, base::Time>> order(times.begin(), times.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<sw::runtime::Bound, base::Time>::second);
  std::string text;
  for (const auto& [bound, time] : order) {
    double share = share_of_step(r, time);
    if (share < 0.01 && !text.empty()) break;
    text += text.empty()
                ? fmt::format("{} for {} of the step", sw::runtime::to_string(bound), base::text::percent(share))
                : fmt::format(", {} {}", sw::runtime::to_string(bound), base::text::percent(share));
  }
  return text.empty() ? "nothing" : text;
}

/// The arrays in a memory other than the HBM, and the bytes that ops move from and to it.
void add_level(base::text::TextTable& table, const RunReport& r, const sw::compiler::MemoryAccount::Level& used) {
  const hw::MemoryLevel level = hw::memory_levels(r.machine)[std::size_t(used.number)];
  std::string text =
      fmt::format("{} of {} per core at the peak", base::to_string(used.peak), base::to_string(level.capacity));
  const hw::Activity& done = r.result.activity.core;
  const base::Bytes moved = done.level_read[level.number] + done.level_written[level.number];
  if (moved > base::Bytes(0)) text += fmt::format(", {} from and to it", base::to_string(moved));
  table.row({level.name, text});
}

/// What was chosen for the update of weights, and what it was compared with.
std::string update_choice_text(const UpdateChoice& choice) {
  const UpdateSharing& chosen = choice.tried[choice.chosen];
  const auto off = std::ranges::find(choice.tried, "off", &UpdateSharing::axes);
  std::string text = fmt::format("{}, chosen of {}", flags_of(chosen), choice.tried.size());
  if (!off->step) return text + "; off does not fit the memory";
  return chosen.axes == "off" ? text
                              : fmt::format("{} by an estimate of {:.3f} ms a step, off {:.3f} ms", text,
                                            chosen.step->si() * 1e3, off->step->si() * 1e3);
}

std::string figures(const RunReport& r) {
  base::text::TextTable table({Align::left, Align::left});
  std::string rate = r.samples_per_s() > 0 ? fmt::format(", {:.0f} samples/s", r.samples_per_s()) : "";
  if (r.tokens_per_s() > 0) rate += fmt::format(", {:.0f} tokens/s", r.tokens_per_s());
  table.row({r.is_part_of_step() ? "time so far" : "step time", milliseconds(r.result.step_time) + rate});
  if (r.faults) table.row({"faults", faults_line(r)});
  table.row({"bound by", bounds(r)});
  const std::string model = r.model_utilization() > 0 ? fmt::format("; of the peak by the model's own FLOPs {}",
                                                                    base::text::percent(r.model_utilization()))
                                                      : "";
  table.row({"utilisation", fmt::format("MXU {}, HBM {}, ICI {}{}", base::text::percent(r.mxu_utilization()),
                                        base::text::percent(r.hbm_utilization()),
                                        base::text::percent(r.result.ici_utilization), model)});
  table.row({"work", fmt::format("{} and {} through HBM per core", flops_text(r.flops()),
                                 base::to_string(r.result.activity.core.op_bytes()))});
  if (const std::string energy = energy_line(r); !energy.empty()) {
    table.row({"energy", energy});
    table.row({"joules", joules_line(r)});
  }
  table.row({"memory", fmt::format("{} of {} per core at the peak, {}", base::to_string(r.memory.peak),
                                   base::to_string(r.machine.hbm.usable_per_core()), arguments_text(r.memory))});
  for (const sw::compiler::MemoryAccount::Level& used : r.memory.levels) add_level(table, r, used);
  if (r.update_choice) table.row({"weight update", update_choice_text(*r.update_choice)});
  if (!r.compiler.is_default()) table.row({"compiler", sw::driver::to_string(r.compiler)});
  return table.text();
}

std::string collective_details(const sw::runtime::CollectiveResult& c) {
  const std::string each = c.count > 1 ? fmt::format("{} times ", c.count) : "";
  return fmt::format("{}{} of {} over {} in {}, {}", each, base::to_string(c.bytes), c.element_type,
                     base::text::counted(c.group_size, "core"), milliseconds(c.time), c.algorithm);
}

/// The name of the step's collectives: that of their kind if they all have the same.
std::string collectives_name(const sw::runtime::RunResult& result) {
  if (result.collectives.empty()) return "collectives";
  const std::string& kind = result.collectives.front().kind;
  bool same =
      std::ranges::all_of(result.collectives, [&](const sw::runtime::CollectiveResult& c) { return c.kind == kind; });
  return same ? kind : "collectives";
}

constexpr std::size_t max_collectives = 6;

/// Those with the longest times.
template <class Result>
std::vector<const Result*> longest(const std::vector<Result>& results, base::Time Result::*time) {
  std::vector<const Result*> order;
  for (const Result& result : results) order.push_back(&result);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](const Result* result) { return result->*time; });
  order.resize(std::min(order.size(), max_collectives));
  return order;
}

std::string loops(const RunReport& r) {
  if (r.result.loops.empty()) return "";
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  for (const sw::runtime::LoopResult& result : r.result.loops) {
    const sw::compiler::Loop& loop = r.program.loops[std::size_t(result.loop)];
    const base::Time trip(result.duration.value() / std::max<std::int64_t>(1, result.trips));
    table.row({"  " + loop.name, milliseconds(result.duration), base::text::percent(share_of_step(r, result.duration)),
               loop.trips_known ? fmt::format("{} of {}", base::text::counted(result.trips, "trip"), milliseconds(trip))
                                : "one trip; how many there are is not in the text"});
  }
  return "\nloops\n" + table.text();
}

std::string operators(const RunReport& r) { return r.operators ? operators_text(*r.operators) : ""; }

/// Times of each pipeline stage: compute, sends and receives, and waits for other stages. The stage that computes
/// longest delays the others.
std::string stages(const RunReport& r) {
  const std::vector<sw::runtime::StageResult>& all = r.result.stages;
  if (all.empty()) return "";
  base::text::TextTable table(
      {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.row({"  cores", "step", "compute", "transfers", "waits", "idle", ""});
  const auto limiting = std::ranges::max_element(all, {}, &sw::runtime::StageResult::compute);
  double transfers = 0, waits = 0, cores = 0;
  for (const sw::runtime::StageResult& stage : all) {
    const std::string others = stage.cores > 1 ? " and " + base::text::counted(stage.cores - 1, "other") : "";
    table.row({fmt::format("  {}{}", stage.first_core, others), milliseconds(stage.step), milliseconds(stage.compute),
               milliseconds(stage.transfer), milliseconds(stage.waiting()), base::text::percent(stage.idle()),
               &stage == &*limiting ? "computes longest" : ""});
    transfers += share_of_step(r, stage.transfer) * double(stage.cores);
    waits += share_of_step(r, stage.waiting()) * double(stage.cores);
    cores += double(stage.cores);
  }
  return fmt::format(
             "\nstages: cores that take the same branches; on average they wait for others for {} of the step and "
             "transfer for {}\n",
             base::text::percent(waits / cores), base::text::percent(transfers / cores)) +
         table.text();
}

std::string parts(const RunReport& r) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  auto part = [&](const std::string& name, base::Time time, const std::string& details) {
    table.row({"  " + name, milliseconds(time), base::text::percent(share_of_step(r, time)), details});
  };
  const auto& collectives = r.result.collectives;
  part("compute", r.result.compute, "");
  const auto part_of_compute = [&](std::string_view scope, const std::string& name) {
    const base::Time time = r.compute_under(scope);
    if (time > base::Time(0)) part("  " + name, time, "");
  };
  part_of_compute("optimizer", "weight update");
  part_of_compute("rematerialised", "computed once more");
  const std::vector<Contention> waits = r.contention();
  for (const Contention* c : longest(waits, &Contention::time)) part("  waiting for HBM", c->time, "beside " + c->name);
  part(collectives_name(r.result), r.result.collective,
       collectives.size() == 1 ? collective_details(collectives.front()) : "");
  if (collectives.size() > 1) {
    for (const sw::runtime::CollectiveResult* c : longest(collectives, &sw::runtime::CollectiveResult::exposed)) {
      table.row({"", "", "", c->kind + ": " + collective_details(*c)});
    }
    if (collectives.size() > max_collectives) {
      table.row(
          {"", "", "", "and " + base::text::counted(std::int64_t(collectives.size() - max_collectives), "other")});
    }
  }
  part("infeed", r.result.infeed, "");
  if (r.result.other > base::Time(0)) part("other", r.result.other, "");
  return "\nwhere the step goes\n" + table.text();
}

std::string megabytes(base::Bytes bytes) { return fmt::format("{:.1f} MB", double(bytes.value()) * 1e-6); }

/// Matrix work of the partitions in addition to that of the unpartitioned program; unknown if the program itself says
/// what each device computes.
std::string matrix_work_text(const hlo::spmd::partition::ShardingCost& cost) {
  if (cost.manual_macs >= cost.whole_macs) return "partitioned by the program itself";
  std::string text = base::text::percent(cost.waste(), 2) + " more than unpartitioned, for replicated or uneven shards";
  if (cost.copies() >= 2) text += fmt::format(": {:.2f} cores do each product", cost.copies());
  if (cost.manual_macs > 0) {
    text += fmt::format("; {} is partitioned by the program itself",
                        base::text::percent(cost.manual_macs / cost.whole_macs));
  }
  return text;
}

/// The mesh and sharding of the program, and its collectives by the axes of the mesh.
std::string mesh(const RunReport& r) {
  if (!r.partition) return "";
  const PartitionReport& p = *r.partition;
  base::text::TextTable head({Align::left, Align::left});
  head.row({"  mesh", sw::placement::to_string(p.placed.placement)});
  head.row({"  sharding", p.sharding});
  if (p.chosen && p.placed.natural > p.placed.modelled) {
    head.row({"  placement",
              fmt::format("the best of {}: {} of collectives by formula, in the order of the cores {}", p.placed.tried,
                          base::to_string(p.placed.modelled), base::to_string(p.placed.natural))});
  }
  if (p.rematerialised.policy != hlo::transform::Rematerialisation::none) {
    head.row({"  rematerialised", fmt::format("{}, {} on all cores", recomputed_text(p.rematerialised.policy),
                                              flops_text(p.rematerialised.flops))});
  }
  head.row({"  arguments", fmt::format("{} on a core as tiles pad them, {} in all", base::to_string(r.memory.arguments),
                                       base::to_string(p.parameters))});
  if (p.update_memory.sharded > base::Bytes(0)) {
    head.row({"  sharded update",
              fmt::format("{} of weights and slot variables on a core in {}, whole {} in {}",
                          base::to_string(p.update_memory.sharded), milliseconds(r.compute_under("optimizer")),
                          base::to_string(p.update_memory.whole), milliseconds(p.whole_update))});
    head.row({"  shards",
              fmt::format("{} of tiles, {} of rows; {} whole", base::text::counted(p.update_shards.of_tiles, "array"),
                          p.update_shards.of_rows, p.update_shards.whole)});
  }
  const hlo::spmd::partition::ShardingCost all = hlo::spmd::partition::total(p.layers);
  if (all.whole_macs > 0) {
    head.row({"  matrix work", matrix_work_text(all)});
  }
  if (all.halo_bytes > 0)
    head.row({"  halos", megabytes(base::Bytes(all.halo_bytes)) + " a step from a core to its neighbours"});
  std::string text = "\nhow the program is cut\n" + head.text();
  const std::vector<AxisCollectives> rows = collectives_by_axis(r.result);
  if (rows.empty()) return text;
  base::text::TextTable table(
      {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.row({"  axes", "collective", "count", "bytes a step", "time", "exposed", "overlapped"});
  for (const AxisCollectives& row : rows) {
    table.row({"  " + row.axes, row.kind, std::to_string(row.count), megabytes(row.bytes), milliseconds(row.time),
               milliseconds(row.exposed), milliseconds(row.overlapped())});
  }
  return text + "\ncollectives by the axes of the mesh, payloads of one core\n" + table.text();
}

std::string costliest_ops(const RunReport& r) {
  const std::vector<OpTotal> ops = r.ops();
  if (ops.empty()) return "";
  const std::size_t shown = std::min<std::size_t>(5, ops.size());
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left, Align::left});
  for (const OpTotal& total : std::span(ops).first(shown)) {
    const sw::compiler::ProgramItem& op = r.program.items[std::size_t(total.last->item)];
    const std::string times = total.executions > 1 ? fmt::format("{} times ", total.executions) : "";
    table.row({"  " + (op.op_name.empty() ? op.hlo_name : op.op_name), milliseconds(total.duration),
               base::text::percent(share_of_step(r, total.duration)), sw::runtime::to_string(total.last->bound),
               times + op.category});
  }
  return fmt::format("\nthe {} costliest of {}, and what bounds them\n", shown,
                     base::text::counted(std::int64_t(ops.size()), "op")) +
         table.text();
}

double change(base::Time from, base::Time to) {
  return from <= base::Time(0) ? 0 : double(to.value()) / double(from.value()) - 1;
}

std::string ops_on_banks(const RunReport& r) {
  const sw::runtime::BankCheck& check = r.result.banks;
  if (check.ops.empty()) return "";
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"", "in a step", "streams", "banks", ""});
  for (const sw::runtime::BankCheck::Op& op : check.ops) {
    const sw::compiler::ProgramItem& item = r.program.items[std::size_t(op.item)];
    table.row({"  " + (item.op_name.empty() ? item.hlo_name : item.op_name), std::to_string(op.count),
               milliseconds(op.streams), milliseconds(op.banks),
               base::text::signed_percent(change(op.streams, op.banks))});
  }
  return fmt::format("\nthe {} hottest ops with the HBM bank by bank\n", check.ops.size()) + table.text() +
         fmt::format("step time with them {}, {}\n", milliseconds(check.step_time),
                     base::text::signed_percent(change(r.result.step_time, check.step_time), 2));
}

/// The ops that ran through the parts of the first chip, with the durations that streams give for comparison.
std::string ops_through_parts(const RunReport& r) {
  constexpr std::size_t max_ops = 10;
  const std::vector<sw::runtime::PartsResult::Op>& ops = r.result.parts.ops;
  if (ops.empty()) return "";
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  const auto row = [&table](const std::string& name, const sw::runtime::PartsResult::Op& op) {
    table.row({"  " + name, std::to_string(op.count), milliseconds(op.streams), milliseconds(op.parts),
               base::text::signed_percent(change(op.streams, op.parts))});
  };
  table.row({"", "in a step", "streams", "parts", ""});
  sw::runtime::PartsResult::Op all;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const sw::compiler::ProgramItem& item = r.program.items[std::size_t(ops[i].item)];
    if (i < max_ops) row(item.op_name.empty() ? item.hlo_name : item.op_name, ops[i]);
    all.count += ops[i].count;
    all.streams += ops[i].streams;
    all.parts += ops[i].parts;
  }
  row("all that went through the parts", all);
  return fmt::format("\nops through granules, on-chip switch and banks of chip (0,0): the {} that they change most\n",
                     std::min(max_ops, ops.size())) +
         table.text();
}

}  // namespace

std::string summary_text(const RunReport& report) {
  std::string text = headline(report) + figures(report) + parts(report) + faults_text(report) + hosts_text(report) +
                     loop_text(report) + checkpoint_text(report) + mesh(report) + operators(report) + stages(report) +
                     loops(report) + costliest_ops(report) + ops_on_banks(report) + ops_through_parts(report);
  if (!report.result.notes.empty() || !report.warnings.empty()) text += "\n";
  for (const std::string& note : report.result.notes) text += "note: " + note + "\n";
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace podsim::report::run
