// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// A transpose that exchanges the rows and columns of a dot, which nothing else reads, becomes the dot with its
/// operands exchanged, as in XLA's algebraic simplifier: transpose(dot(a, b)) = dot(b, a). Frameworks print gradients
/// of weights in this form; then what follows, such as an update, reads the product itself. Every sum has the same
/// terms in the same order, so the results have the same bits.
void exchange_operands_of_transposed_dots(hlo::Computation& computation);

}  // namespace podsim::sw::compiler::fuse
