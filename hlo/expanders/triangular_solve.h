// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces triangular solves, as XLA's expander does: all diagonal blocks are inverted at once, row by row in a loop
/// of products of a vector and a matrix; the blocks of the result follow one after the other, each a product of an
/// inverse and what is left of the right-hand side. Products are of the highest precision.
void expand_triangular_solves(Module& module);

}  // namespace podsim::hlo::expanders
