// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// Groups the instructions of every computation that a core executes into fusions, each one op on the core, so that
/// values which are cheap to recompute never travel through HBM.
///
/// Contract: the fused module computes the same outputs from the same parameters; every fusion is an instruction of
/// kind `fusion` with its body as a called computation; what is left outside fusions is one op each (or a tuple,
/// parameter, constant). Rules, by traffic alone:
///
///  1. Epilogue. A convolution or dot whose result has one user, an elementwise op of the same dimensions, takes that
///     op in, and so on down the chain. Of two matmuls that meet in one op the later takes it.
///  2. Recompute or store. An elementwise value is recomputed inside every op that reads it unless storing it moves
///     fewer bytes: its inputs, its write and one read per reader, against its inputs once more for every reader that
///     does not read them anyway. Division, roots and transcendentals are computed once. A value that is stored in any
///     case is still recomputed by readers that have its inputs at hand. This puts batch normalisation into the
///     operands of the next convolution and stores a residual join, as optimised TPU modules do.
///  3. Several outputs. A reduction or elementwise result that reads what a fusion of the same iteration space just
///     produced, or reads what a loop fusion reads, joins it when nothing else it needs depends on that fusion.
Module fuse(Module module);

}  // namespace podsim::sw
