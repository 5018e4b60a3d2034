// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// c = activation(a b + bias): a [m, k], b [k, n] (or [n, k], transposed), bias f32 [n]; a, b and c are f32 or bf16.
///
/// The order in which an element is summed, which decides its bits: products of operands rounded to bf16 are added in
/// f32 within blocks of 128 contraction elements, each from +0 and k ascending; the sums of the blocks are added in f32
/// in the order of the blocks, the first to +0. Elements that pad the last block are zeros on both sides. Then the bias
/// is added, the activation applied, each operation rounded to f32, and bf16 results are rounded to nearest even.
KernelFamily matmul_family();

}  // namespace podsim::sw
