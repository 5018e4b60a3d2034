// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval::complex {

using Number = std::complex<double>;

/// Computes an elementwise instruction on complex numbers, in double precision. Functions are those of the C++
/// library's std::complex, whose principal branches are HLO's; maxima and minima compare the real parts, and the
/// imaginary ones of equal real parts. Throws std::logic_error for what HLO does not define on complex numbers, such as
/// floor.
Number apply(const Instruction& instruction, Number x, Number y);

/// The real or the imaginary parts of an array, as f64.
Literal real_parts(const Literal& array);
Literal imaginary_parts(const Literal& array);
/// The array of this shape with the given parts, rounded to its type.
Literal joined(const Shape& shape, const Literal& real, const Literal& imaginary);

}  // namespace podsim::hlo::eval::complex
