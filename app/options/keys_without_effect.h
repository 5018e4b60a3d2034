// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "sw/key_levels.h"

namespace podsim::app::options {

/// Warnings of keys that the user has set and that have no effect at the levels at which a command simulates, with the
/// levels at which they have; and, among ops, of a memory whose rate the on-chip switch does not pass.
std::vector<std::string> keys_without_effect(const base::Config& machine,
                                             std::span<const base::parameters::KeyLevel> levels);

/// Prints them.
void warn_of_keys_without_effect(const base::Config& machine, std::initializer_list<base::parameters::KeyLevel> levels);

}  // namespace podsim::app::options
