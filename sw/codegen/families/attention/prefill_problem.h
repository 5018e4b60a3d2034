// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/graph.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::attention {

/// Causal attention of a chunk of tokens to itself and to the tokens before it. Query head h reads key head
/// h / group(). Query i sees the first cached + i + 1 keys.
struct PrefillProblem {
  std::int64_t heads = 1, key_heads = 1;
  std::int64_t depth = 128;  ///< head dimension, at most the 128 lanes of a register
  std::int64_t queries = 1, cached = 0;
  bool packed = false;  ///< queries, keys and values are bf16

  std::int64_t group() const { return heads / key_heads; }
  std::int64_t keys() const { return cached + queries; }
  hlo::Shape query_shape() const;   ///< [head, query, depth]
  hlo::Shape cache_shape() const;   ///< of keys, and of values: [key head, key, depth]
  hlo::Shape result_shape() const;  ///< f32 [head, query, depth]
};

/// Reads and checks the parameters of the family. Throws base::InputError for sizes that do not go together.
PrefillProblem prefill_problem(const KernelArguments& arguments);

/// softmax(q k^T / sqrt(depth)) v with the causal mask, for blocks of `block` queries and the keys up to the last one
/// that a query of the block sees. Takes queries, keys, values. If `rounded`, the operands of dots are rounded to bf16,
/// the weights by a reduce-precision.
hlo::Module prefill_graph(const PrefillProblem& problem, std::int64_t block, bool rounded);

}  // namespace podsim::sw::codegen::families::attention
