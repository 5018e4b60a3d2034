// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// A flat f32 program (flatten.h) in mixed precision: parameters and results stay f32, products are of bf16. The rules
/// are those that frameworks apply by themselves (autocast):
///   - dot and convolution take bf16 and give bf16;
///   - reductions except those of a window's maximum or minimum, exponentials, logarithms, powers and roots take f32
///   and
///     give f32;
///   - what only moves values (broadcast, reshape, transpose, slice, gather, pad, concatenate, a window's extreme)
///   keeps
///     their type;
///   - any other operation is f32 if one of its operands was made in f32, else bf16. Parameters, constants and numbers
///     converted from integers are not made in f32: they are converted where an operation in bf16 reads them;
///   - loops, conditionals, custom calls, collectives and random numbers keep the types of the program.
/// Types other than f32 are left alone.
Module in_mixed_precision(const Module& flat);

}  // namespace podsim::hlo::transform
