// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/decode_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::attention {

namespace {

/// More entries of the block table fit the SMEM of no machine.
constexpr std::int64_t most_pages = 1 << 20;
/// One page in this many belongs to no sequence.
constexpr std::int64_t used_per_free_page = 8;

/// --lengths, or --cached tokens for each.
std::vector<std::int32_t> lengths_of(const KernelArguments& arguments, std::int64_t sequences) {
  std::vector<std::int32_t> lengths;
  for (const std::int64_t length : arguments.numbers("lengths")) lengths.push_back(std::int32_t(length));
  const bool given = arguments.choice("cached") != preset_cached;
  if (given && !lengths.empty()) {
    throw base::InputError("--cached and --lengths both say how many tokens are cached", "leave out one of them");
  }
  if (lengths.empty()) lengths.assign(std::size_t(sequences), std::int32_t(arguments.number("cached")));
  return lengths;
}

/// Gives each sequence its pages, at random positions of the cache.
void scatter_pages(DecodeProblem& problem) {
  std::int64_t used = 0;
  for (const std::int32_t length : problem.lengths) used += base::divide_round_up(std::int64_t(length), problem.page);
  problem.pages = used + base::divide_round_up(used, used_per_free_page);
  std::vector<std::int32_t> order(std::size_t(problem.pages));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::size_t next = 0;
  for (const std::int32_t length : problem.lengths) {
    const std::int64_t own = base::divide_round_up(std::int64_t(length), problem.page);
    for (std::int64_t i = 0; i < problem.max_pages(); ++i) problem.page_table.push_back(i < own ? order[next++] : 0);
  }
}

hlo::InstructionId integers(hlo::build::GraphBuilder& graph, const std::vector<std::int32_t>& numbers,
                            std::vector<std::int64_t> sizes) {
  return graph.constant({hlo::make_shape(hlo::ElementType::s32, std::move(sizes)),
                         std::vector<double>(numbers.begin(), numbers.end()),
                         {}});
}

/// The cache as [sequence, key head, token, depth].
hlo::InstructionId tokens_of(hlo::build::GraphBuilder& graph, const DecodeProblem& problem, hlo::InstructionId cache) {
  if (problem.page == 0) return cache;
  const std::int64_t count = problem.max_pages();
  const hlo::InstructionId table = integers(graph, problem.page_table, {problem.sequences, count, 1});
  hlo::GatherDimensions dimensions;
  dimensions.offset = {0, 3, 4};
  dimensions.collapsed = {1};
  dimensions.index_map = {1};
  dimensions.index_vector = 2;
  const hlo::InstructionId pages =
      graph.gather(cache, table, dimensions, {problem.key_heads, 1, problem.page, problem.depth});
  return graph.reshape(graph.transpose(pages, {1, 0, 2, 3, 4}),
                       {problem.sequences, problem.key_heads, count * problem.page, problem.depth});
}

}  // namespace

std::int64_t DecodeProblem::longest() const { return *std::ranges::max_element(lengths); }

std::int64_t DecodeProblem::max_pages() const { return base::divide_round_up(longest(), page); }

hlo::Shape DecodeProblem::cache_shape() const {
  const hlo::ElementType type = packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  if (page > 0) return hlo::make_shape(type, {key_heads, pages, page, depth});
  return hlo::make_shape(type, {sequences, key_heads, longest(), depth});
}

hlo::Shape DecodeProblem::query_shape() const {
  return hlo::make_shape(hlo::ElementType::f32, {sequences, heads, depth});
}

DecodeProblem decode_problem(const KernelArguments& arguments) {
  DecodeProblem problem;
  problem.sequences = arguments.number("sequences");
  problem.heads = arguments.number("heads");
  problem.key_heads = arguments.number("key-heads") == 0 ? problem.heads : arguments.number("key-heads");
  problem.depth = arguments.number("head-dim");
  problem.packed = arguments.choice("dtype") == "bf16";
  problem.page = arguments.choice("page") == "none" ? 0 : arguments.number("page");
  problem.lengths = lengths_of(arguments, problem.sequences);
  if (problem.heads % problem.key_heads != 0) {
    throw base::InputError(
        fmt::format("{} heads do not divide into groups for {} key heads", problem.heads, problem.key_heads),
        "--heads with a multiple of --key-heads");
  }
  if (std::int64_t(problem.lengths.size()) != problem.sequences) {
    throw base::InputError(fmt::format("{} lengths for {} sequences", problem.lengths.size(), problem.sequences),
                           fmt::format("--sequences {}", problem.lengths.size()));
  }
  if (problem.page > 0 && problem.sequences * problem.max_pages() > most_pages) {
    throw base::InputError(
        fmt::format("a block table of {} pages is too large", problem.sequences * problem.max_pages()),
        "larger pages, or fewer sequences");
  }
  if (problem.page > 0) scatter_pages(problem);
  return problem;
}

hlo::Module decode_graph(const DecodeProblem& problem, bool rounded) {
  using hlo::ElementType;
  hlo::build::GraphBuilder graph("decode_attention");
  const std::int64_t batch = problem.sequences, keys = problem.key_heads, group = problem.group();
  const hlo::InstructionId queries = graph.parameter(problem.query_shape(), "queries");
  const hlo::InstructionId key_cache = graph.parameter(problem.cache_shape(), "keys");
  const hlo::InstructionId value_cache = graph.parameter(problem.cache_shape(), "values");
  const auto operand = [&](hlo::InstructionId x) {
    return rounded ? graph.convert(graph.convert(x, ElementType::bf16), ElementType::f32)
                   : graph.convert(x, ElementType::f32);
  };
  const hlo::InstructionId q = operand(graph.reshape(queries, {batch, keys, group, problem.depth}));
  const hlo::InstructionId k = operand(tokens_of(graph, problem, key_cache));
  const hlo::InstructionId v = graph.convert(tokens_of(graph, problem, value_cache), ElementType::f32);
  const std::int64_t tokens = graph.shape(k).dimensions[2];
  const std::vector<std::int64_t> scores_sizes{batch, keys, group, tokens};
  const hlo::Shape scores_shape = hlo::make_shape(ElementType::f32, scores_sizes);

  const hlo::InstructionId lengths = integers(graph, problem.lengths, {batch});
  const auto visible = [&](std::vector<std::int64_t> sizes, std::int64_t dimension) {
    return graph.compare(graph.iota(hlo::make_shape(ElementType::s32, sizes), dimension),
                         graph.broadcast(lengths, sizes, {0}), hlo::ComparisonDirection::lt);
  };
  const bool ragged = std::ranges::any_of(problem.lengths, [&](std::int32_t length) { return length < tokens; });
  const auto masked = [&](hlo::InstructionId x, std::int64_t dimension, double hidden) {
    return ragged ? graph.select(visible(graph.shape(x).dimensions, dimension), x, graph.full_like(x, hidden)) : x;
  };

  const hlo::InstructionId products = graph.dot(q, k, {{0, 1}, {0, 1}, {3}, {3}});
  const hlo::InstructionId scaled =
      graph.multiply(products, graph.full(scores_shape, 1 / std::sqrt(double(problem.depth))));
  const hlo::InstructionId scores = masked(scaled, 3, -std::numeric_limits<double>::infinity());
  const auto per_row = [&](hlo::InstructionId x) { return graph.broadcast(x, scores_sizes, {0, 1, 2}); };
  const hlo::InstructionId weights = graph.exponential(graph.subtract(scores, per_row(graph.reduce_max(scores, {3}))));
  const hlo::InstructionId sums = graph.dot(weights, masked(v, 2, 0), {{0, 1}, {0, 1}, {3}, {2}});
  const hlo::InstructionId total =
      graph.broadcast(graph.reduce_add(weights, {3}), graph.shape(sums).dimensions, {0, 1, 2});
  return std::move(graph).build(graph.reshape(graph.divide(sums, total), problem.query_shape().dimensions));
}

}  // namespace podsim::sw::codegen::families::attention
