// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/prefill_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"

namespace podsim::sw::codegen::families::attention {

namespace {

constexpr int bf16_exponent_bits = 8, bf16_mantissa_bits = 7;

hlo::ElementType prefill_type(const PrefillProblem& problem) {
  return problem.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
}

/// The graph of the blocks of queries.
class PrefillGraph {
 public:
  PrefillGraph(const PrefillProblem& problem, bool rounded) : problem_(problem), rounded_(rounded) {
    const std::int64_t keys = problem.key_heads, depth = problem.depth;
    const hlo::InstructionId queries = graph_.parameter(problem.query_shape(), "queries");
    const hlo::InstructionId key_cache = graph_.parameter(problem.cache_shape(), "keys");
    const hlo::InstructionId value_cache = graph_.parameter(problem.cache_shape(), "values");
    queries_ = operand(graph_.reshape(queries, {keys, problem.group(), problem.queries, depth}));
    keys_ = operand(key_cache);
    values_ = operand(value_cache);
  }

  hlo::Module build(std::int64_t block) && {
    std::vector<hlo::InstructionId> blocks;
    for (std::int64_t first = 0; first < problem_.queries; first += block)
      blocks.push_back(results(first, std::min(first + block, problem_.queries)));
    const hlo::InstructionId all = blocks.size() == 1 ? blocks[0] : graph_.concatenate(blocks, 2);
    const std::vector<std::int64_t> sizes = problem_.result_shape().dimensions;
    return std::move(graph_).build(graph_.reshape(all, sizes));
  }

 private:
  hlo::InstructionId operand(hlo::InstructionId x) {
    using hlo::ElementType;
    return rounded_ ? graph_.convert(graph_.convert(x, ElementType::bf16), ElementType::f32)
                    : graph_.convert(x, ElementType::f32);
  }

  /// The results of queries from `first` to `end`.
  hlo::InstructionId results(std::int64_t first, std::int64_t end) {
    const std::int64_t heads = problem_.key_heads, group = problem_.group(), depth = problem_.depth;
    const std::int64_t limit = problem_.cached + end;
    const hlo::InstructionId q = graph_.slice(queries_, {{0, heads, 1}, {0, group, 1}, {first, end, 1}, {0, depth, 1}});
    const hlo::InstructionId k = graph_.slice(keys_, {{0, heads, 1}, {0, limit, 1}, {0, depth, 1}});
    const hlo::InstructionId v = graph_.slice(values_, {{0, heads, 1}, {0, limit, 1}, {0, depth, 1}});
    const std::vector<std::int64_t> sizes{heads, group, end - first, limit};
    const hlo::InstructionId scores = masked(graph_.dot(q, k, {{0}, {0}, {3}, {2}}), first, sizes);
    const auto per_row = [&](hlo::InstructionId x) { return graph_.broadcast(x, sizes, {0, 1, 2}); };
    const hlo::InstructionId weights =
        graph_.exponential(graph_.subtract(scores, per_row(graph_.reduce_max(scores, {3}))));
    const hlo::InstructionId sums = graph_.dot(rounded_weights(weights), v, {{0}, {0}, {3}, {1}});
    const hlo::InstructionId total =
        graph_.broadcast(graph_.reduce_add(weights, {3}), {heads, group, end - first, depth}, {0, 1, 2});
    return graph_.divide(sums, total);
  }

  hlo::InstructionId masked(hlo::InstructionId products, std::int64_t first, const std::vector<std::int64_t>& sizes) {
    const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, sizes);
    const hlo::Shape numbers = hlo::make_shape(hlo::ElementType::s32, sizes);
    const hlo::InstructionId scores =
        graph_.multiply(products, graph_.full(shape, 1 / std::sqrt(double(problem_.depth))));
    const hlo::InstructionId last_seen =
        graph_.add(graph_.iota(numbers, 2), graph_.full(numbers, double(problem_.cached + first)));
    const hlo::InstructionId seen = graph_.compare(graph_.iota(numbers, 3), last_seen, hlo::ComparisonDirection::le);
    return graph_.select(seen, scores, graph_.full(shape, -std::numeric_limits<double>::infinity()));
  }

  hlo::InstructionId rounded_weights(hlo::InstructionId weights) {
    if (!rounded_) return weights;
    hlo::Instruction rounding;
    rounding.opcode = hlo::Opcode::reduce_precision;
    rounding.operands = {weights};
    rounding.exponent_bits = bf16_exponent_bits;
    rounding.mantissa_bits = bf16_mantissa_bits;
    return graph_.add(std::move(rounding));
  }

  const PrefillProblem& problem_;
  bool rounded_;
  hlo::build::GraphBuilder graph_{"flash_attention"};
  hlo::InstructionId queries_ = -1, keys_ = -1, values_ = -1;
};

}  // namespace

hlo::Shape PrefillProblem::query_shape() const { return hlo::make_shape(prefill_type(*this), {heads, queries, depth}); }
hlo::Shape PrefillProblem::cache_shape() const {
  return hlo::make_shape(prefill_type(*this), {key_heads, keys(), depth});
}
hlo::Shape PrefillProblem::result_shape() const {
  return hlo::make_shape(hlo::ElementType::f32, {heads, queries, depth});
}

PrefillProblem prefill_problem(const KernelArguments& arguments) {
  PrefillProblem problem;
  problem.heads = arguments.number("heads");
  problem.key_heads = arguments.number("key-heads") == 0 ? problem.heads : arguments.number("key-heads");
  problem.depth = arguments.number("head-dim");
  problem.queries = arguments.number("queries");
  problem.cached = arguments.number("cached");
  problem.packed = arguments.choice("dtype") == "bf16";
  if (problem.heads % problem.key_heads != 0) {
    throw base::InputError(
        fmt::format("{} heads do not divide into groups for {} key heads", problem.heads, problem.key_heads),
        "--heads with a multiple of --key-heads");
  }
  return problem;
}

hlo::Module prefill_graph(const PrefillProblem& problem, std::int64_t block, bool rounded) {
  return PrefillGraph(problem, rounded).build(block);
}

}  // namespace podsim::sw::codegen::families::attention
