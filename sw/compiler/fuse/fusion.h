// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/compiler/fuse/fusion_plan.h"

namespace podsim::sw::compiler::fuse {

/// Groups the instructions of every computation that a core executes into fusions, each one op on the core, so that
/// values that are cheap to recompute are never stored in HBM.
///
/// The fused module computes the same outputs from the same parameters. Every fusion is an instruction of kind `fusion`
/// with its body as a called computation; every instruction outside fusions is one op (or a tuple, parameter,
/// constant). The rules depend on traffic alone:
///
///   1. Epilogue. A convolution or dot absorbs elementwise ops of its dimensions up to the last one through which
///      everything computed from its result goes. If two matmuls meet in one op, the later one absorbs it. A result
///      that is widened for readers of stored values only is stored wide; other readers widen it themselves, and
///      compute what follows if they need no other array of an eighth of its bytes or more: scores of attention in bf16
///      are stored as they are, though they are scaled and masked in f32.
///   2. Recompute or store. An elementwise value is recomputed inside every op that reads it unless storing it moves
///      fewer bytes. Storing costs its inputs, its write, and one read per reader; recomputing costs its inputs once
///      more for every reader that does not read them anyway. A value that must be stored is still recomputed by its
///      readers if they then read fewer bytes. This rule puts batch normalisation into the operands of the next
///      convolution, exponentials of a softmax into each of their readers, and stores a residual join, as optimised TPU
///      modules do.
///      Random numbers of `rng` are drawn once: they, and what is computed from them, are inlined where one op reads
///      them, and stored where several do, as the masks of dropout.
///      A reshape that moves elements is an op of its own, unless all it goes into is reductions. A scatter into an
///      array of one scalar fills it in the same op.
///   3. Several outputs. A reduction or elementwise result that reads a value which a fusion of the same iteration
///      space produces, or reads the inputs of a loop fusion, joins that fusion if none of its other inputs depends on
///      it. A reduction has its results only after all of its input, so what reads them is another op. The exception is
///      the sum over a whole parameter, such as the norm of a weight: silicon's training loop computes the norm of the
///      new weight in the op that writes it, for the next step. With LoopOutputs::one_elementwise, elementwise results
///      join products alone.
hlo::Module fuse(hlo::Module module, LoopOutputs outputs = LoopOutputs::several);

}  // namespace podsim::sw::compiler::fuse
