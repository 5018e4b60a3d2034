// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_plan.h"

#include <algorithm>

namespace podsim::hw::input {

std::int64_t InputPlan::simulated_hosts() const {
  const bool constant = std::ranges::all_of(stages, [](const Stage& stage) { return stage.spread == 0; });
  return constant && speeds.empty() ? 1 : hosts;
}

std::vector<Stage> InputPlan::stages_of(std::int64_t host) const {
  std::vector<Stage> slow = stages;
  if (speeds.empty()) return slow;
  for (Stage& stage : slow) stage.mean = stage.mean / speeds[std::size_t(host)];
  return slow;
}

const Stage& InputPlan::slowest() const {
  return *std::ranges::max_element(stages, {}, [](const Stage& stage) { return stage.mean.si(); });
}

InputPlan input_plan(const InputParameters& p, const StepInput& step) {
  InputPlan plan;
  const std::int64_t chips = std::min(p.host_chips, step.chips);  // of the fullest host
  plan.hosts = (step.chips + p.host_chips - 1) / p.host_chips;
  plan.host_samples = double(step.samples) * double(chips) / double(step.chips);
  plan.prefetch = p.prefetch;
  plan.seed = p.seed;
  const auto add = [&](const char* name, base::Duration time) {
    plan.stages.push_back({name, time, p.spread, p.stage_queue});
  };
  const double n = plan.host_samples;
  const base::Duration decoding = p.decode_pixel * step.sample.decoded_pixels;
  const base::Duration augmenting = p.pass_pixel * (step.sample.output_pixels * step.sample.passes);
  const base::Duration on_all_threads = (decoding + augmenting) * (n / double(p.threads));
  add("read", base::Duration(n * double(step.sample.stored.value()) / p.read_rate.si()));
  add("shuffle", p.record * n);
  if (decoding.si() > 0) add("decode", on_all_threads);
  if (augmenting.si() > 0) add("augment", on_all_threads);
  add("batch",
      base::Duration(double(step.core_batch.value()) * double(chips * step.cores_per_chip) / p.copy_rate.si()));
  return plan;
}

}  // namespace podsim::hw::input
