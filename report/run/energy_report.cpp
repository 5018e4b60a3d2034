// SPDX-License-Identifier: Apache-2.0
#include "report/run/energy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/csv_field.h"
#include "base/text/percent.h"
#include "hw/energy/chip_area.h"
#include "hw/energy/event_energy.h"
#include "hw/energy/part_values.h"
#include "report/run/joules_text.h"
#include "sw/runtime/energy/power_curve.h"

namespace podsim::report::run {
namespace {

double site_watts(const RunReport& r, const sw::runtime::energy::StepEnergy& energy) {
  return r.machine.site.watts(energy.chip_watts());
}

/// Grams of CO2 of a step of all chips.
double grams(const RunReport& r, const sw::runtime::energy::StepEnergy& energy) {
  return site_watts(r, energy) * double(energy.chips) * energy.seconds / 3.6e6 * r.machine.site.grid_carbon;
}

constexpr int power_bins = 240;

/// Names of the parts that events or what is always drawn give joules, those that take most first.
std::vector<std::string> parts_by_joules(const sw::runtime::energy::StepEnergy& energy) {
  hw::energy::PartValues all = energy.events;
  hw::energy::add(energy.always, 1, all);
  std::ranges::stable_sort(all, std::ranges::greater{}, &hw::energy::PartValue::value);
  std::vector<std::string> names;
  for (const hw::energy::PartValue& part : all) {
    if (part.value > 0) names.push_back(part.part);
  }
  return names;
}

}  // namespace

std::string power_csv(const RunReport& r) {
  const sw::runtime::energy::StepEnergy energy = r.energy();
  const std::vector<std::string> parts = parts_by_joules(energy);
  std::string text = "begin_us,chip_w";
  for (const std::string& part : parts) text += "," + base::text::csv_field(part + "_w");
  text += "\n";
  if (r.is_part_of_step() || r.result.step_time <= base::Time(0)) return text;
  std::vector<std::vector<double>> columns{
      sw::runtime::energy::mean_watts(sw::runtime::energy::power_curve(r.machine, energy, r.result), power_bins)};
  for (const std::string& part : parts) {
    columns.push_back(sw::runtime::energy::mean_watts(
        sw::runtime::energy::power_curve(r.machine, energy, r.result, part), power_bins));
  }
  for (int bin = 0; bin < power_bins; ++bin) {
    text += fmt::format("{:.6f}", energy.seconds * 1e6 * bin / power_bins);
    for (const std::vector<double>& column : columns) text += fmt::format(",{:.4f}", column[std::size_t(bin)]);
    text += "\n";
  }
  return text;
}

void add_power(const RunReport& r, base::trace::Timeline& timeline) {
  if (r.is_part_of_step() || r.result.step_time <= base::Time(0)) return;
  const sw::runtime::energy::StepEnergy energy = r.energy();
  base::Time begin;  // of the last step
  for (std::size_t step = 0; step + 1 < r.result.step_times.size(); ++step) begin += r.result.step_times[step];
  const auto add = [&](const std::string& name, std::string_view part) {
    const base::trace::Timeline::Track track = timeline.track("power of the reported chip", name);
    for (const sw::runtime::energy::PowerSample& sample :
         sw::runtime::energy::power_curve(r.machine, energy, r.result, part)) {
      timeline.counter(track, name, begin + sample.begin, sample.watts);
    }
  };
  add("chip, W", "");
  for (const std::string& part : parts_by_joules(energy)) {
    const double joules = hw::energy::of(energy.events, part) + hw::energy::of(energy.always, part);
    if (joules >= 0.01 * energy.joules()) add(part + ", W", part);
  }
}

std::string energy_line(const RunReport& r) {
  if (r.is_part_of_step() || r.result.step_time <= base::Time(0)) return "";
  const sw::runtime::energy::StepEnergy energy = r.energy();
  std::string text = fmt::format("{:.1f} W a chip, {:.1f} W at the peak; {} a step of all chips", energy.chip_watts(),
                                 energy.peak_watts, joules_text(energy.joules()));
  const double samples = r.samples_per_step();
  return samples > 0 ? text + fmt::format(", {} a sample", joules_text(energy.joules() / samples)) : text;
}

std::string joules_line(const RunReport& r) {
  if (r.is_part_of_step() || r.result.step_time <= base::Time(0)) return "";
  const sw::runtime::energy::StepEnergy energy = r.energy();
  const double all = energy.joules();
  hw::energy::PartValues events = energy.events;
  std::ranges::stable_sort(events, std::ranges::greater{}, &hw::energy::PartValue::value);
  std::string text = fmt::format("{} drawn always", base::text::percent(hw::energy::sum(energy.always) / all));
  for (const hw::energy::PartValue& part : events) {
    if (part.value >= 0.01 * all) text += fmt::format(", {} {}", part.part, base::text::percent(part.value / all));
  }
  return text;
}

nlohmann::ordered_json energy_json(const RunReport& r) {
  using Json = nlohmann::ordered_json;
  const sw::runtime::energy::StepEnergy energy = r.energy();
  const double samples = r.is_part_of_step() ? 0 : r.samples_per_step();
  Json parts = Json::object();
  for (const hw::energy::PartValue& part : energy.always) {
    parts[part.part] = {{"events_j", hw::energy::of(energy.events, part.part)}, {"always_j", part.value}};
  }
  for (const hw::energy::PartValue& part : energy.events) {
    if (!parts.contains(part.part)) parts[part.part] = {{"events_j", part.value}, {"always_j", 0.0}};
  }
  Json area = Json::object();
  const hw::energy::PartValues mm2 = hw::energy::chip_area(r.machine);
  for (const hw::energy::PartValue& part : mm2) area[part.part] = part.value;
  Json json{{"step_j", energy.joules()},
            {"events_j", hw::energy::sum(energy.events)},
            {"always_j", hw::energy::sum(energy.always)},
            {"chip_w", energy.chip_watts()},
            {"chip_peak_w", energy.peak_watts},
            {"chip_always_w", hw::energy::sum(energy.watts)},
            {"chip_idle_w", hw::energy::idle_watts(r.machine)},
            {"mxu_flop_j", hw::energy::flop_joules(r.machine)},
            {"hbm_byte_j", hw::energy::hbm_byte_joules(r.machine)},
            {"site_chip_w", site_watts(r, energy)},
            {"step_co2_g", grams(r, energy)}};
  if (samples > 0 && energy.joules() > 0) {
    json["sample_j"] = energy.joules() / samples;
    json["samples_per_j"] = samples / energy.joules();
  }
  json["die_mm2"] = hw::energy::sum(mm2);
  json["slice_dollars"] = r.machine.area.chip_dollars * double(energy.chips);
  json["parts"] = parts;
  json["area_mm2"] = area;
  return json;
}

}  // namespace podsim::report::run
