// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::input {

const base::parameters::Section<InputParameters>& InputParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using Input = InputParameters;
  static const base::parameters::Section<Input> keys(
      "input", {
                   {"threads", &Input::threads, positive(), {inputs}},
                   {"read_rate", &Input::read_rate, Rate{}, {inputs}},
                   {"decode_pixel", &Input::decode_pixel, Time{}, {inputs}},
                   {"pass_pixel", &Input::pass_pixel, Time{}, {inputs}},
                   {"record", &Input::record, Time{}, {inputs}},
                   {"copy_rate", &Input::copy_rate, Rate{}, {inputs}},
                   {"stage_queue_batches", &Input::stage_queue, positive(1000), {inputs}},
                   {"prefetch_batches", &Input::prefetch, positive(1000), {inputs}},
                   {"spread",
                    &Input::spread,
                    Real{0, 1, "must be between 0, constant times, and 1, exponential ones"},
                    {inputs}},
                   {"seed", &Input::seed, AnyWhole{}, {inputs}},
               });
  return keys;
}

InputParameters read_input_parameters(const base::Config& config) {
  const base::parameters::Reading reading{config, std::nullopt};
  InputParameters input = InputParameters::section().read(reading);
  input.host_chips = base::parameters::kind::positive()(reading, "pod.host_chips");
  return input;
}

}  // namespace podsim::hw::input
