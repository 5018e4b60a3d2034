// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::matrix {

/// c = activation(a b + bias): a [m, k], b [k, n] (or [n, k], transposed), bias f32 [n]; a, b and c are f32 or bf16.
///
/// The order of the additions determines the bits of an element. Products of operands rounded to bf16 are added in f32
/// within blocks of 128 contraction elements, each from +0 and k ascending. The sums of the blocks are added in f32 in
/// the order of the blocks, the first to +0. The padding of the last block is zero in both operands. Then the bias is
/// added and the activation applied, with each operation rounded to f32, and bf16 results are rounded to nearest even.
KernelFamily matmul_family();

}  // namespace podsim::sw::codegen::families::matrix
