// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::attention {

/// The parameter "cached" that is not given: a number with what follows it.
inline constexpr const char* preset_cached = "512 without --lengths";

/// Attention of one new token for each sequence of a batch. Query head h reads key head h / group().
struct DecodeProblem {
  std::int64_t sequences = 1, heads = 1, key_heads = 1;
  std::int64_t depth = 128;           ///< head dimension, at most the 128 lanes of a register
  bool packed = false;                ///< the cache is bf16
  std::int64_t page = 0;              ///< tokens of a page; 0: contiguous
  std::vector<std::int32_t> lengths;  ///< cached tokens of each sequence, at least 1
  /// Pages of the cache in memory, and where those of each sequence are: [sequence][max_pages()].
  std::int64_t pages = 0;
  std::vector<std::int32_t> page_table;

  std::int64_t group() const { return heads / key_heads; }
  std::int64_t longest() const;
  std::int64_t max_pages() const;
  /// Shape of the keys, and of the values: [sequence, key head, token, depth], or [key head, page, token, depth].
  hlo::Shape cache_shape() const;
  /// Shape of the queries, and of the result: f32 [sequence, head, depth].
  hlo::Shape query_shape() const;
};

/// Reads and checks the parameters of the family. Throws base::InputError for sizes that do not go together.
DecodeProblem decode_problem(const KernelArguments& arguments);

/// softmax(q k^T / sqrt(depth)) v over the tokens of each sequence. Takes queries, keys, values. The dot of queries and
/// keys rounds them to bf16 if `rounded`, as matrix units do.
hlo::Module decode_graph(const DecodeProblem& problem, bool rounded);

}  // namespace podsim::sw::codegen::families::attention
