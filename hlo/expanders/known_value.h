// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::expanders {

/// The value of an instruction that depends on constants and iotas alone, by elementwise operations and those that move
/// elements. std::nullopt for others, and where an array has more than `max_elements` elements.
std::optional<Literal> known_value(const Computation& computation, InstructionId id, std::int64_t max_elements);

}  // namespace podsim::hlo::expanders
