// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/graph/element_type.h"
#include "sw/graph/opcode.h"

namespace podsim::sw {

/// What an elementwise opcode of one or two operands does to integers and predicates, as HLO defines it: exact and
/// modulo the type's range. Operands are sign-extended where their type has a sign; the result is to be wrapped.
///
/// Division by 0 gives all ones, the remainder of it the dividend; the smallest number divided by -1 is itself. Shifts
/// by the number of bits or more (or a negative number) give 0, arithmetic ones the sign. A negative power is 0 but of
/// 1 and -1. Throws std::logic_error for an opcode of real numbers.
std::int64_t apply_integer(Opcode opcode, ElementType type, std::int64_t x, std::int64_t y);

/// Whether x < y, unsigned where the type is.
bool integer_less(ElementType type, std::int64_t x, std::int64_t y);

}  // namespace podsim::sw
