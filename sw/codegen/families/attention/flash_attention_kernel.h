// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::attention {

/// Causal attention of a chunk of queries to its own keys and those before (FlashAttention, Dao et al. 2022): blocks of
/// queries by blocks of keys on the matrix units, with a running maximum m and a running sum l for each query. The
/// scores of one block of queries and one of keys are in VMEM, never all of them:
///
///   s = q k^T;  m' = max(m, s);  a = exp((m - m') / sqrt(d));  p = exp((s - m') / sqrt(d)), rounded to bf16 for p v
///   l = l a + sum of p;  o = o a + p v;  at the end o / l
///
/// Blocks of keys after a block of queries are skipped.
KernelFamily flash_attention_family();

}  // namespace podsim::sw::codegen::families::attention
