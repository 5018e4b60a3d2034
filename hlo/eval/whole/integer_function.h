// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/element_type.h"
#include "hlo/opcode.h"

namespace podsim::hlo::eval::whole {

/// Applies an elementwise opcode of one or two operands to integers and predicates, as HLO defines it: exact and modulo
/// the type's range. Operands are sign-extended if their type is signed; the caller wraps the result.
///
/// x / 0 is all ones and x rem 0 is x; the smallest number divided by -1 is itself. Shifts by the number of bits or
/// more, or by a negative number, give 0, and arithmetic ones the sign. A negative power is 0 except for the bases 1
/// and -1. Throws std::logic_error for an opcode of real numbers.
std::int64_t apply_integer(Opcode opcode, ElementType type, std::int64_t x, std::int64_t y);

/// Returns whether x < y, unsigned if the type is.
bool integer_less(ElementType type, std::int64_t x, std::int64_t y);

}  // namespace podsim::hlo::eval::whole
