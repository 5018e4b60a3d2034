// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace podsim::validation::measured {

/// Steps of the values of parameters from those of a machine file. A step is a factor of 2^(1/4).
using Steps = std::vector<int>;

/// The most steps of a parameter: from a quarter of its value to four times it.
constexpr int max_steps = 8;
/// The steps of a factor of two.
constexpr int octave = 4;

/// Keys of numbers whose evidence is "measured", in the order of the machine file: what a fit may change.
std::vector<std::string> measured_keys(const base::Config& machine);

/// The value of an entry after `steps` steps, as `--set` takes it. Counts, cycles and bytes are rounded.
std::string value_after(const base::ConfigEntry& entry, int steps);

/// Sets the keys that have steps and that the machine has, each from its own value. Throws base::InputError for a value
/// that the machine cannot have.
void apply(const std::vector<std::string>& keys, const Steps& steps, base::Config& machine);

}  // namespace podsim::validation::measured
