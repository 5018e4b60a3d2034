// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sw/graph/graph.h"

/// When two instructions of a computation compute the same value from the same operands.
namespace podsim::sw {

/// Collisions are resolved by is_equal, so only what usually tells instructions apart goes in.
std::size_t hash(const Instruction& instruction);

/// Whether two of them are one, and one whose result nobody reads none.
bool is_shareable(Opcode opcode);

/// Names, metadata and shardings apart; constants by their bits.
bool is_equal(const Instruction& a, const Instruction& b);

/// Two computations of parameters and what is equal by is_equal.
bool is_same_function(const Computation& a, const Computation& b);

}  // namespace podsim::sw
