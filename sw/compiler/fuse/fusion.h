// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/graph.h"

namespace podsim::sw::compiler::fuse {

/// Groups the instructions of every computation that a core executes into fusions, each one op on the core, so that
/// values that are cheap to recompute are never stored in HBM.
///
/// The fused module computes the same outputs from the same parameters. Every fusion is an instruction of kind `fusion`
/// with its body as a called computation; every instruction outside fusions is one op (or a tuple, parameter,
/// constant). The rules depend on traffic alone:
///
///   1. Epilogue. A convolution or dot whose result has one user, an elementwise op of the same dimensions, absorbs
///      that op, and so on down the chain. If two matmuls meet in one op, the later one absorbs it.
///   2. Recompute or store. An elementwise value is recomputed inside every op that reads it unless storing it moves
///      fewer bytes. Storing costs its inputs, its write, and one read per reader; recomputing costs its inputs once
///      more for every reader that does not read them anyway. Division, roots and transcendentals are computed once. A
///      value that must be stored is still recomputed by its readers if they read fewer bytes that way. This rule puts
///      batch normalisation into the operands of the next convolution and stores a residual join, as optimised TPU
///      modules do.
///   3. Several outputs. A reduction or elementwise result that reads a value which a fusion of the same iteration
///      space produces, or reads the inputs of a loop fusion, joins that fusion if none of its other inputs depends on
///      it.
ir::Module fuse(ir::Module module);

}  // namespace podsim::sw::compiler::fuse
