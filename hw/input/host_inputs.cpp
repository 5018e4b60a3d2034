// SPDX-License-Identifier: Apache-2.0
#include "hw/input/host_inputs.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hw::input {

HostInputs::HostInputs(sc_core::sc_module_name name, const InputPlan& plan, base::trace::ProbeSink* sink)
    : sc_module(name) {
  for (std::int64_t host = 0; host < plan.simulated_hosts(); ++host) {
    hosts_.push_back(std::make_unique<InputPipeline>(fmt::format("host_{}", host).c_str(), plan.stages_of(host),
                                                     plan.prefetch, plan.seed, host,
                                                     Trace{sink, nullptr, fmt::format("input({})", host)}));
  }
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  for (const auto& host : hosts_) options.set_sensitivity(&host->batch_prepared());
  sc_core::sc_spawn([this] { batch_prepared_.notify(); }, sc_core::sc_gen_unique_name("announce"), &options);
}

std::int64_t HostInputs::prepared() const {
  std::int64_t least = hosts_.front()->prepared();
  for (const auto& host : hosts_) least = std::min(least, host->prepared());
  return least;
}

void HostInputs::took() {
  if (++taken_ % takers_ != 0) return;
  for (const auto& host : hosts_) host->take();
}

}  // namespace podsim::hw::input
