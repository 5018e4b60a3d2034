// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/energy/power_curve.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "hw/energy/event_energy.h"

namespace podsim::sw::runtime::energy {
namespace {

/// The energy of a core that is taken evenly in a stretch of the step.
struct Stretch {
  base::Time begin, end;
  double joules = 0;
};

double part_of(const hw::energy::PartValues& values, std::string_view part) {
  return part.empty() ? hw::energy::sum(values) : hw::energy::of(values, part);
}

/// Joules of a part, or of all, in an execution of an item of the reported core.
double item_joules(const TargetMachine& machine, const StepEnergy& energy, const RunResult& result, int item,
                   std::string_view part) {
  if (part.empty()) {
    const auto known = energy.items.find(item);
    return known == energy.items.end() ? 0 : known->second;
  }
  const auto known = result.activity.items.find(item);
  return known == result.activity.items.end() ? 0
                                              : hw::energy::of(hw::energy::event_joules(machine, known->second), part);
}

std::vector<Stretch> stretches_of(const TargetMachine& machine, const StepEnergy& energy, const RunResult& result,
                                  std::string_view part) {
  std::vector<Stretch> stretches;
  std::map<std::uint64_t, std::size_t> of_execution;
  base::Time now;
  for (const ItemResult& item : result.items) {
    const base::Time end = now + item.total();
    // A done has the execution of its start and no energy of its own; trips that repeat have one execution.
    const auto started = of_execution.find(item.execution);
    const bool is_done = started != of_execution.end() && item_joules(machine, energy, result, item.item, "") == 0;
    if (is_done) {
      stretches[started->second].end = end;
    } else {
      of_execution[item.execution] = stretches.size();
      stretches.push_back({now, end, item_joules(machine, energy, result, item.item, part) * double(item.times)});
    }
    now = end;
  }
  // What takes no time on the core and has no end in the step, such as the start of an infeed.
  for (Stretch& stretch : stretches) {
    if (stretch.end <= stretch.begin) stretch.begin = base::Time(0), stretch.end = result.step_time;
  }
  return stretches;
}

}  // namespace

std::vector<PowerSample> power_curve(const TargetMachine& machine, const StepEnergy& energy, const RunResult& result,
                                     std::string_view part) {
  std::map<base::Time, double> changes{{base::Time(0), 0}};  // of the watts of a core
  for (const Stretch& stretch : stretches_of(machine, energy, result, part)) {
    if (stretch.joules == 0 || stretch.end <= stretch.begin) continue;
    const double watts = stretch.joules / base::to_duration(stretch.end - stretch.begin).si();
    changes[stretch.begin] += watts;
    changes[stretch.end] -= watts;
  }
  changes.try_emplace(result.step_time, 0);
  const double always = part_of(energy.watts, part);
  std::vector<PowerSample> curve;
  double events = 0;
  for (const auto& [when, change] : changes) {
    events += change;
    curve.push_back({when, always + double(energy.cores) * std::max(0.0, events)});
  }
  curve.back().watts = always;
  return curve;
}

std::vector<double> mean_watts(const std::vector<PowerSample>& curve, int bins) {
  std::vector<double> means(std::size_t(bins), 0);
  const auto step = double(curve.back().begin.value());
  if (step <= 0) return means;
  const double width = step / bins;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const auto begin = double(curve[i].begin.value()), end = double(curve[i + 1].begin.value());
    for (int bin = std::min(bins - 1, int(begin / width)); bin < bins && bin * width < end; ++bin) {
      const double shared = std::min(end, (bin + 1) * width) - std::max(begin, bin * width);
      if (shared > 0) means[std::size_t(bin)] += curve[i].watts * shared / width;
    }
  }
  return means;
}

}  // namespace podsim::sw::runtime::energy
