// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/hlo/scanner.h"
#include "sw/hlo/shape.h"

/// The literals of constants: "{ {1, 2}, {3, 4} }", "true", "(1, -2)" of complex numbers, "{...}" where the values were
/// left out, a single value for all elements, a tuple in parentheses.
namespace podsim::sw::hlo {

/// Reads a literal of `shape`; SyntaxError when its nesting, its counts or its words do not fit.
void skip_literal(Scanner& scanner, const ShapeTable& shapes, ShapeId shape);

}  // namespace podsim::sw::hlo
