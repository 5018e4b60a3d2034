// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/tuning_data.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "hlo/proto/damage_text.h"
#include "hlo/proto/field_values.h"
#include "hlo/proto/module_text.h"

namespace podsim::hlo::proto {
namespace {

using protozero::data_view;

constexpr double nano = 1e-9;

TunedRun run_of(data_view profile) {
  const data_view tile = bytes_of(bytes_of(profile, 1), 1);
  return {.kernel_bounds = integers_of(tile, 1),
          .output_bounds = integers_of(tile, 2),
          .seconds = double(integer_of(bytes_of(profile, 4), 4)) * nano,
          .is_default = integer_of(profile, 5) != 0};
}

bool is_possible(const TunedRun& run) {
  const auto positive = [](std::int64_t bound) { return bound > 0; };
  return run.seconds > 0 && std::ranges::all_of(run.kernel_bounds, positive) &&
         std::ranges::all_of(run.output_bounds, positive);
}

}  // namespace

std::vector<TunedKernel> tuning_data(const std::string& file, std::string_view bytes) {
  std::vector<TunedKernel> kernels;
  try {
    for (const data_view tuned : messages_of({bytes.data(), bytes.size()}, 1)) {
      TunedKernel kernel;
      for (const data_view profile : messages_of(tuned, 3)) {
        if (const TunedRun run = run_of(profile); is_possible(run)) kernel.runs.push_back(run);
      }
      if (kernel.runs.empty()) continue;
      const data_view module = bytes_of(tuned, 1);
      kernel.text = module_text(file, {module.data(), module.size()});
      kernels.push_back(std::move(kernel));
    }
  } catch (const protozero::exception& damage) {
    throw base::InputError("'" + file + "' is a damaged protobuf: " + damage_text(damage));
  }
  if (kernels.empty()) {
    throw base::InputError("'" + file + "' has no kernels with runs", "TuningData of TpuGraphs' tile collection");
  }
  return kernels;
}

}  // namespace podsim::hlo::proto
