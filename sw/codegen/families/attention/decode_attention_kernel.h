// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::attention {

/// Attention of one new token for each sequence over its cached keys and values, as a decoding step has it. Blocks of
/// keys and values stream through VMEM. A register of 8 keys streams as LHS through a matrix unit whose columns all
/// hold the query, so that every lane of the result has the key's score; the vector unit does the rest, in f32, with a
/// maximum and a sum for each sublane:
///
///   m' = max(m, scores of 64 keys);  a = exp((m - m') / sqrt(d))
///   l  = l a + sum of p;  o = o a + sum of p v;  p = exp((score - m') / sqrt(d))
///
/// At a sequence's end the 8 sublanes are combined in the same way.
KernelFamily decode_attention_family();

}  // namespace podsim::sw::codegen::families::attention
