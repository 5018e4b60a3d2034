// SPDX-License-Identifier: Apache-2.0
// Part of report/run/run_report.h.
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "hw/memory_levels.h"
#include "report/run/energy_report.h"
#include "report/run/job_report.h"
#include "report/run/run_report.h"
#include "report/run/train_report.h"

namespace podsim::report::run {
namespace {

using Json = nlohmann::ordered_json;

double seconds(base::Time time) { return base::to_duration(time).si(); }

Json collectives_json(const sw::runtime::RunResult& result) {
  Json list = Json::array();
  for (const sw::runtime::CollectiveResult& c : result.collectives) {
    list.push_back({{"kind", c.kind},
                    {"dtype", c.element_type},
                    {"bytes", c.bytes.value()},
                    {"count", c.count},
                    {"time_s", seconds(c.time)},
                    {"exposed_s", seconds(c.exposed)},
                    {"group_size", c.group_size},
                    {"algorithm", c.algorithm},
                    {"folded", c.folded}});
    if (!c.axes.empty()) list.back()["axes"] = c.axes;
  }
  return list;
}

Json activity_json(const hw::Activity& activity, const hw::Machine& machine) {
  Json json = Json::object();
  for (const hw::NamedCount& count : hw::counts(activity, machine)) json[count.part][count.counter.name] = count.value;
  return json;
}

Json loops_json(const RunReport& r) {
  Json list = Json::array();
  for (const sw::runtime::LoopResult& result : r.result.loops) {
    const sw::compiler::Loop& loop = r.program.loops[std::size_t(result.loop)];
    list.push_back({{"name", loop.name},
                    {"trips", result.trips},
                    {"trips_known", loop.trips_known},
                    {"time_s", seconds(result.duration)}});
  }
  return list;
}

Json contention_json(const RunReport& r) {
  Json list = Json::array();
  for (const Contention& c : r.contention()) list.push_back({{"beside", c.name}, {"time_s", seconds(c.time)}});
  return list;
}

Json stages_json(const sw::runtime::RunResult& result) {
  Json list = Json::array();
  for (const sw::runtime::StageResult& stage : result.stages) {
    list.push_back({{"first_core", stage.first_core},
                    {"cores", stage.cores},
                    {"step_s", seconds(stage.step)},
                    {"compute_s", seconds(stage.compute)},
                    {"collective_s", seconds(stage.collective)},
                    {"transfer_s", seconds(stage.transfer)},
                    {"waiting_s", seconds(stage.waiting())},
                    {"idle_share", stage.idle()}});
  }
  return list;
}

Json step_times_json(const sw::runtime::RunResult& result) {
  Json list = Json::array();
  for (base::Time time : result.step_times) list.push_back(seconds(time));
  return list;
}

Json banks_json(const RunReport& r) {
  Json ops = Json::array();
  for (const sw::runtime::BankCheck::Op& op : r.result.banks.ops) {
    const sw::compiler::ProgramItem& item = r.program.items[std::size_t(op.item)];
    ops.push_back({{"op", item.op_name.empty() ? item.hlo_name : item.op_name},
                   {"count", op.count},
                   {"streams_s", seconds(op.streams)},
                   {"banks_s", seconds(op.banks)}});
  }
  return {{"step_time_s", seconds(r.result.banks.step_time)}, {"ops", ops}};
}

Json parts_json(const RunReport& r) {
  Json ops = Json::array();
  base::Time streams, parts;
  for (const sw::runtime::PartsResult::Op& op : r.result.parts.ops) {
    const sw::compiler::ProgramItem& item = r.program.items[std::size_t(op.item)];
    ops.push_back({{"op", item.op_name.empty() ? item.hlo_name : item.op_name},
                   {"count", op.count},
                   {"streams_s", seconds(op.streams)},
                   {"parts_s", seconds(op.parts)}});
    streams += op.streams;
    parts += op.parts;
  }
  return {{"streams_s", seconds(streams)}, {"parts_s", seconds(parts)}, {"ops", ops}};
}

Json buffers_json(const std::vector<sw::compiler::MemoryAccount::Buffer>& buffers) {
  Json list = Json::array();
  for (const sw::compiler::MemoryAccount::Buffer& buffer : buffers) {
    list.push_back({{"name", buffer.name}, {"op_name", buffer.op_name}, {"bytes", buffer.bytes.value()}});
  }
  return list;
}

/// Memories other than the HBM that have arrays.
Json levels_json(const RunReport& r) {
  const std::vector<hw::MemoryLevel> levels = hw::memory_levels(r.machine);
  Json list = Json::array();
  for (const sw::compiler::MemoryAccount::Level& used : r.memory.levels) {
    const hw::MemoryLevel& level = levels[std::size_t(used.number)];
    list.push_back({{"name", level.name},
                    {"memory_space", level.number},
                    {"peak_bytes_per_core", used.peak.value()},
                    {"capacity_bytes_per_core", level.capacity.value()},
                    {"peak_position", used.peak_position},
                    {"largest_at_peak", buffers_json(used.largest_at_peak)}});
  }
  return list;
}

Json parameter_types_json(const sw::compiler::MemoryAccount::Kinds& kinds) {
  Json list = Json::array();
  for (const auto& of : kinds.parameter_types) {
    list.push_back({{"type", hlo::to_string(of.type)},
                    {"arrays", of.arrays},
                    {"bytes", of.bytes.value()},
                    {"element_bytes", of.elements.value()}});
  }
  return list;
}

Json classes_json(const sw::compiler::MemoryClasses& classes) {
  return {{"weights", classes.weights.value()},         {"slots", classes.slots.value()},
          {"caches", classes.caches.value()},           {"inputs", classes.inputs.value()},
          {"activations", classes.activations.value()}, {"gradients", classes.gradients.value()},
          {"temporaries", classes.temporaries.value()}, {"padding", classes.padding.value()}};
}

Json padded_json(const sw::compiler::MemoryAccount& memory) {
  Json list = Json::array();
  for (const sw::compiler::MemoryAccount::Padded& padded : memory.padded_at_peak) {
    list.push_back({{"shape", padded.shape},
                    {"arrays", padded.arrays},
                    {"bytes", padded.bytes.value()},
                    {"element_bytes", padded.elements.value()}});
  }
  return list;
}

Json mesh_json(const sw::placement::MeshPlacement& placement) {
  Json axes = Json::array();
  for (std::size_t axis = 0; axis < placement.mesh().axes().size(); ++axis) {
    const hlo::spmd::mesh::MeshAxis& of = placement.mesh().axes()[axis];
    axes.push_back({{"name", of.name}, {"size", of.size}});
    if (placement.axes().empty()) continue;
    axes.back()["place"] =
        sw::placement::to_string(placement.axes()[axis], placement.slice(), placement.cores_per_chip());
  }
  return axes;
}

Json by_axis_json(const sw::runtime::RunResult& result) {
  Json list = Json::array();
  for (const AxisCollectives& row : collectives_by_axis(result)) {
    list.push_back({{"axes", row.axes},
                    {"kind", row.kind},
                    {"count", row.count},
                    {"bytes_per_step", row.bytes.value()},
                    {"time_s", seconds(row.time)},
                    {"exposed_s", seconds(row.exposed)},
                    {"overlapped_s", seconds(row.overlapped())}});
  }
  return list;
}

Json products_json(const RunReport& r) {
  struct Sum {
    std::int64_t ops = 0;
    base::Time time;
  };
  std::map<std::string, Sum> sums;
  for (const OpTotal& op : r.ops()) {
    const std::string& text = r.program.items[std::size_t(op.last->item)].products;
    if (text.empty()) continue;
    sums[text].ops += op.executions;
    sums[text].time += op.duration;
  }
  Json list = Json::array();
  for (const auto& [text, sum] : sums) {
    list.push_back({{"products", text}, {"ops_per_step", sum.ops}, {"time_s", seconds(sum.time)}});
  }
  return list;
}

/// The ways to share the update of weights that were considered, by how promising they were.
Json update_choice_json(const UpdateChoice& choice) {
  Json tried = Json::array();
  for (const UpdateSharing& sharing : choice.tried) {
    Json way = {{"mesh", sharing.mesh}, {"axes", sharing.axes}};
    if (sharing.update) way["estimated_update_s"] = sharing.update->si();
    if (sharing.step) way["estimated_step_s"] = sharing.step->si();
    tried.push_back(std::move(way));
  }
  return {{"mesh", choice.tried[choice.chosen].mesh}, {"axes", choice.tried[choice.chosen].axes}, {"tried", tried}};
}

void add_partition(Json& json, const RunReport& r) {
  const PartitionReport& p = *r.partition;
  json["mesh"] = mesh_json(p.placed.placement);
  json["placement"] = {{"text", sw::placement::to_string(p.placed.placement)},
                       {"chosen", p.chosen},
                       {"tried", p.placed.tried},
                       {"modelled_collective_s", p.placed.modelled.si()},
                       {"in_order_of_cores_s", p.placed.natural.si()}};
  json["sharding"] = p.sharding;
  json["product_copies"] = hlo::spmd::partition::total(p.layers).copies();
  json["rematerialised"] = {{"policy", std::string(hlo::transform::to_string(p.rematerialised.policy))},
                            {"flops", p.rematerialised.flops}};
  if (p.update_memory.sharded > base::Bytes(0)) {
    json["memory"]["updated_bytes_per_core"] = p.update_memory.sharded.value();
    json["memory"]["updated_bytes_per_core_uncut"] = p.update_memory.whole.value();
    json["update_shards"] = {
        {"of_tiles", p.update_shards.of_tiles}, {"of_rows", p.update_shards.of_rows}, {"whole", p.update_shards.whole}};
    json["update_s"] = base::to_duration(r.compute_under("optimizer")).si();
    json["update_uncut_s"] = base::to_duration(p.whole_update).si();
  }
  json["samples_per_step"] = p.samples;
  json["tokens_per_s"] = r.tokens_per_s();
  json["model_flops_per_step"] = p.model_flops;
  json["utilization"]["model"] = r.model_utilization();
  json["memory"]["argument_bytes_whole"] = p.parameters.value();
  json["collectives_by_axis"] = by_axis_json(r.result);
}

Json stats(const RunReport& r) {
  auto [bound, bound_share] = r.bound();
  Json json = {
      {"schema_version", 1},
      {"command", "run"},
      {"workload", r.workload},
      {"machine", r.machine.name},
      {"slice", r.slice},
      {"chips", r.chips},
      {"cores", r.chips * r.machine.cores_per_chip},
      {"batch_per_core", r.batch_per_core},
      {"detail", r.detail},
      {"steps", r.result.steps},
      {"partial", r.result.partial},
      {"step_time_s", r.step_s()},
      {"step_time_ps", r.result.step_time.value()},
      {"step_times_s", step_times_json(r.result)},
      {"samples_per_s", r.samples_per_s()},
      {"flops_per_core_step", r.flops()},
      {"hbm_bytes_per_core_step", r.result.activity.core.op_bytes().value()},
      {"activity",
       {{"core", activity_json(r.result.activity.core, r.machine)},
        {"all_cores", activity_json(r.result.activity.slice, r.machine)}}},
      {"energy", energy_json(r)},
      {"utilization", {{"mxu", r.mxu_utilization()}, {"hbm", r.hbm_utilization()}, {"ici", r.result.ici_utilization}}},
      {"machine_peaks",
       {{"mxu_flops_per_s_per_core", r.machine.peak_flops_per_core()},
        {"hbm_bytes_per_s_per_core", r.machine.hbm.stream_rate.si()},
        {"ici_bytes_per_s_per_link", r.machine.ici.payload_rate().si()}}},
      {"bound_by", sw::runtime::to_string(bound)},
      {"bound_share", bound_share},
      {"breakdown_s",
       {{"compute", seconds(r.result.compute)},
        {"collective", seconds(r.result.collective)},
        {"infeed", seconds(r.result.infeed)},
        {"other", seconds(r.result.other)}}},
      {"compute_parts_s",
       {{"weight_update", seconds(r.compute_under("optimizer"))},
        {"rematerialised", seconds(r.compute_under("rematerialised"))}}},
      {"waiting_for_hbm", contention_json(r)},
      {"products", products_json(r)},
      {"collectives", collectives_json(r.result)},
      {"loops", loops_json(r)},
      {"memory",
       {{"peak_bytes_per_core", r.memory.peak.value()},
        {"argument_bytes_per_core", r.memory.arguments.value()},
        {"capacity_bytes_per_core", r.machine.hbm.usable_per_core().value()},
        {"peak_position", r.memory.peak_position},
        {"heap_bytes_per_core", r.memory.heap.value()},
        {"largest_at_peak", buffers_json(r.memory.largest_at_peak)},
        {"padding_bytes_at_peak", r.memory.padding_at_peak.value()},
        {"padded_at_peak", padded_json(r.memory)}}},
      {"ops_per_step", r.program.items.size()},
      {"distinct_ops", r.program.ops.size()},
      {"simulated_chips", r.result.simulated_chips},
      {"real_chips", r.result.real_chips.size()},
      {"notes", r.result.notes},
      {"warnings", r.warnings},
  };
  if (const auto& kinds = r.memory.kinds) {
    json["memory"]["parameter_bytes_per_core"] = kinds->parameters.value();
    json["memory"]["slot_bytes_per_core"] = kinds->slots.value();
    json["memory"]["input_bytes_per_core"] = kinds->inputs.value();
    if (kinds->caches > base::Bytes(0)) json["memory"]["cache_bytes_per_core"] = kinds->caches.value();
    json["memory"]["parameter_types"] = parameter_types_json(*kinds);
  }
  if (r.memory.classes) json["memory"]["classes_at_peak"] = classes_json(*r.memory.classes);
  if (!r.compiler.is_default()) json["compiler"] = sw::driver::to_string(r.compiler);
  if (!r.memory.levels.empty()) json["memory"]["levels"] = levels_json(r);
  if (!r.result.stages.empty()) json["stages"] = stages_json(r.result);
  add_faults(json, r);
  if (r.partition) add_partition(json, r);
  if (r.operators) json["operators"] = operators_json(*r.operators);
  if (r.update_choice) json["update_choice"] = update_choice_json(*r.update_choice);
  add_job(json, r);
  if (r.training) {
    Json training = Json::object();
    add_training(training, r);
    json["training"] = std::move(training);
  }
  if (!r.result.banks.ops.empty()) json["memory_banks"] = banks_json(r);
  if (!r.result.parts.ops.empty()) json["chip_parts"] = parts_json(r);
  return json;
}

}  // namespace

std::string run_stats(const RunReport& report) { return base::text::json_text(stats(report), 2) + "\n"; }

std::string run_json(const RunReport& report) {
  Json json = stats(report);
  if (report.partition) json["partition_s"] = report.partition->partition_s;
  if (report.op_cache) json["op_cache"] = {{"hits", report.op_cache->hits}, {"misses", report.op_cache->misses}};
  json["compile_s"] = report.compile_s;
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report::run
