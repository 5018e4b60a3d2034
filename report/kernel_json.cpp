// SPDX-License-Identifier: Apache-2.0
// Part of report/kernel_report.h.
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "report/kernel_report.h"
#include "report/slot_names.h"

namespace podsim::report {
namespace {

using Json = nlohmann::ordered_json;

/// Stall cycles by cause. Together with the issued bundles they add up to all cycles.
Json stalls_json(const hw::bundle::BundleRunResult& result) {
  Json stalls = Json::object();
  for (int i = 0; i < hw::bundle::stall_reasons; ++i)
    stalls[hw::bundle::to_string(hw::bundle::Stall(i))] = result.stalls[std::size_t(i)].value();
  return stalls;
}

Json slots_json(const hw::bundle::BundleRunResult& result) {
  Json slots = Json::object();
  for (int i = 0; i < hw::isa::slots; ++i) slots[slot_name(hw::isa::Slot(i))] = result.slot_use[std::size_t(i)];
  return slots;
}

Json cycles_json(const std::vector<base::Cycles>& cycles) {
  Json list = Json::array();
  for (base::Cycles unit : cycles) list.push_back(unit.value());
  return list;
}

Json closed_form_json(const GeneratedKernel& kernel) {
  return {{"compute_s", kernel.closed_form.compute_s},
          {"hbm_s", kernel.closed_form.memory_s},
          {"roofline_s", kernel.closed_form.roofline_s()},
          {"serial_s", kernel.closed_form.serial_s()}};
}

/// A number, or text for infinities and NaN, which JSON does not have.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(std::to_string(value)); }

Json verification_json(const validation::kernels::Verification& verification) {
  Json json = {{"seed", verification.seed},
               {"elements", verification.elements},
               {"differing", verification.differing},
               {"worst_of_allowed", number(verification.worst_ratio)}};
  if (!verification.worst.output.empty()) {
    json["worst"] = {{"output", verification.worst.output},
                     {"index", verification.worst.index},
                     {"expected", number(verification.worst.expected)},
                     {"found", number(verification.worst.found)},
                     {"allowed_error", number(verification.worst.allowed)}};
  }
  return json;
}

void add_generated(Json& json, const KernelReport& report) {
  json["flops"] = report.generated->flops;
  json["flops_per_s"] = report.generated->flops / report.time_s();
  json["closed_form"] = closed_form_json(*report.generated);
  json["tile_level_cycles"] = report.generated->tile_level.value();
  json["tile_level_events_j"] = report.tile_joules();
  const validation::kernels::CompiledRun& program = report.generated->program;
  json["program"] = {{"ops", program.ops}, {"cycles", program.cycles.value()}, {"bytes", program.moved.value()}};
  json["passes"] = report.generated->passes;
}

}  // namespace

std::string kernel_json(const KernelReport& report) {
  const hw::bundle::BundleRunResult& result = report.result;
  Json json = {
      {"schema_version", 1},
      {"command", "kernel"},
      {"kernel", report.kernel},
      {"machine", report.machine.name},
      {"functional", report.functional},
      {"mxu_view", report.matrix_view == hw::bundle::matrix::MatrixUnitView::event ? "event" : "rows"},
      {"cycles", result.cycles.value()},
      {"time_s", report.time_s()},
      {"bundles", result.bundles},
      {"utilization",
       {{"mxu", report.mxu_utilization()}, {"hbm", report.hbm_utilization()}, {"valu", report.valu_utilization()}}},
      {"stalls", stalls_json(result)},
      {"slot_use", slots_json(result)},
      {"mxu_busy_cycles", cycles_json(result.matrix_busy)},
      {"hbm_busy_cycles", result.hbm_busy.value()},
      {"hbm_read_bytes", result.hbm_read.value()},
      {"hbm_written_bytes", result.hbm_written.value()},
      {"dmas", result.dmas},
      {"energy", {{"events_j", report.joules()}, {"core_w", report.watts()}}}};
  if (report.generated) add_generated(json, report);
  json["verified"] = report.verified ? Json(*report.verified) : Json(nullptr);
  if (report.verification) json["verification"] = verification_json(*report.verification);
  json["warnings"] = report.warnings;
  json["simulation_wall_s"] = report.simulation_s;
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
