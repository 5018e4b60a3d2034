// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/parameters/key_level.h"

namespace podsim::sw {

/// The levels at which a key of a machine has an effect, as its section declares. Every key has one, but for names and
/// fingerprints.
const base::parameters::KeyLevels& levels_of(std::string_view key);

/// Where a key acts, as a sentence, if it acts at other levels than `simulated` only; else empty.
std::string acts_elsewhere(std::string_view key, std::span<const base::parameters::KeyLevel> simulated);

}  // namespace podsim::sw
