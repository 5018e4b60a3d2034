// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "hlo/graph.h"

/// Decides whether two instructions of a computation compute the same value from the same operands.
namespace podsim::hlo {

/// Includes only the fields that usually distinguish instructions, since is_equal resolves collisions.
std::size_t hash(const Instruction& instruction);

/// True if two equal instructions may become one, and an unused one may be dropped. False for parameters, transfers,
/// random numbers, custom calls and unknown operations.
bool is_shareable(Opcode opcode);
/// nullptr if is_shareable(). Requires an opcode other than `unknown`.
const char* why_not_shareable(Opcode opcode);

/// Compares everything but names, metadata and shardings; constants are compared by their bits.
bool is_equal(const Instruction& a, const Instruction& b);

/// Compares two computations instruction by instruction with is_equal, and their parameters and roots.
bool is_same_function(const Computation& a, const Computation& b);

}  // namespace podsim::hlo
