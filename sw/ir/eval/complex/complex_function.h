// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/ir/graph.h"
#include "sw/ir/literal.h"

namespace podsim::sw::ir::eval::complex {

/// True for an elementwise instruction with a complex operand or result.
bool is_on_complex(const Instruction& instruction, std::span<const Literal* const> operands);

/// Evaluates an elementwise instruction on complex numbers, in double precision; both parts of a result are rounded to
/// its type. Functions are those of the C++ library's std::complex, whose branch cuts are HLO's. Throws
/// std::logic_error for what HLO does not define on complex numbers, such as an order.
Literal evaluate_complex(const Instruction& instruction, std::span<const Literal* const> operands);

/// The real or the imaginary parts of an array, as f64.
Literal real_parts(const Literal& array);
Literal imaginary_parts(const Literal& array);
/// The array of this shape with the given parts, rounded to its type.
Literal joined(const Shape& shape, const Literal& real, const Literal& imaginary);

}  // namespace podsim::sw::ir::eval::complex
