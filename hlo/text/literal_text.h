// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/text/scanner.h"
#include "hlo/text/shape.h"

/// Text of constants: "{ {1, 2}, {3, 4} }", "true", "(1, -2)" for complex numbers, "{...}" for elided values, a single
/// value for all elements, a tuple in parentheses.
namespace podsim::hlo::text {

/// Reads past a literal of `shape`. Throws SyntaxError if its nesting, its element counts or its words do not fit the
/// shape.
void skip_literal(Scanner& scanner, const ShapeTable& shapes, ShapeId shape);

}  // namespace podsim::hlo::text
