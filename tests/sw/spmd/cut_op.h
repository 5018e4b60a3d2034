// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sw/graph/evaluator.h"
#include "sw/graph/index_space.h"
#include "sw/spmd/op_rule.h"
#include "tests/sw/graph/literals.h"

/// One op on whole arrays against the same op on slices of them: what a rule says, word for word.
namespace podsim::sw::testing {

/// The indices [first, limit) of a factor.
struct FactorRange {
  int factor;
  std::int64_t first, limit;
};

/// The elements of a dimension's factor list that a range leaves: one flag for each index.
inline std::vector<bool> kept_indices(const OpRule& rule, const std::vector<int>& dimension, std::int64_t size,
                                      const FactorRange& range) {
  std::vector<bool> kept(std::size_t(size), true);
  std::int64_t inner = 1;
  for (auto factor = dimension.rbegin(); factor != dimension.rend(); ++factor) {
    const std::int64_t count = rule.factors[std::size_t(*factor)].size;
    for (std::int64_t i = 0; i < size && *factor == range.factor; ++i) {
      const std::int64_t at = i / inner % count;
      kept[std::size_t(i)] = range.first <= at && at < range.limit;
    }
    inner *= count;
  }
  return kept;
}

inline Literal sliced(const OpRule& rule, const OpRule::Array& array, const Literal& whole, const FactorRange& range) {
  std::vector<std::vector<bool>> kept;
  Shape shape = whole.shape;
  for (std::size_t d = 0; d < array.size(); ++d) {
    kept.push_back(kept_indices(rule, array[d], whole.shape.dimensions[d], range));
    shape.dimensions[d] = std::ranges::count(kept[d], true);
  }
  Literal part{shape, {}, {}};
  std::size_t at = 0;
  for_each_index(whole.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    bool inside = true;
    for (std::size_t d = 0; d < index.size(); ++d) inside = inside && kept[d][std::size_t(index[d])];
    if (inside) part.values.push_back(whole.values[at]);
    ++at;
  });
  return part;
}

/// The value that changes nothing under a combiner.
inline double identity_of(Opcode combiner) {
  switch (combiner) {
    case Opcode::multiply:
    case Opcode::logical_and:
      return 1;
    case Opcode::minimum:
      return std::numeric_limits<double>::infinity();
    case Opcode::maximum:
      return -std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

inline double combined(Opcode combiner, double x, double y) {
  switch (combiner) {
    case Opcode::multiply:
      return x * y;
    case Opcode::minimum:
      return std::min(x, y);
    case Opcode::maximum:
      return std::max(x, y);
    case Opcode::logical_and:
      return x != 0 && y != 0;
    case Opcode::logical_or:
      return x != 0 || y != 0;
    default:
      return x + y;
  }
}

/// A module whose entry is parameters and one op on them, its root.
class OpUnderTest {
 public:
  explicit OpUnderTest(Module module)
      : module_(std::move(module)),
        entry_(module_.computations[std::size_t(module_.entry)]),
        rule_(op_rule(module_, entry_, entry_.root)) {}

  const OpRule& rule() const { return rule_; }
  const Instruction& op() const { return entry_[entry_.root]; }

  /// Arguments in the order of the op's operands; integers are small, so that they serve as indices, and real numbers
  /// positive, as variances are.
  std::vector<Literal> arguments(unsigned seed) const {
    std::vector<Literal> result;
    for (const InstructionId operand : op().operands) {
      const Shape& shape = entry_[operand].shape;
      if (shape.element_type == ElementType::s32) {
        result.push_back(random_literal(shape, ++seed, -1, 4));
        for (double& value : result.back().values) value = std::floor(value);
      } else if (shape.element_type == ElementType::pred) {
        result.push_back(random_literal(shape, ++seed, 0, 1));
        for (double& value : result.back().values) value = value < 0.5 ? 1 : 0;
      } else {
        result.push_back(random_literal(shape, ++seed, 0.1, 1));
      }
    }
    return result;
  }

  /// The results of the op on arguments of these shapes, its attributes as they follow.
  std::vector<Literal> evaluate(const std::vector<Literal>& arguments, const FactorRange* range = nullptr) const {
    Module module = module_;
    Computation& entry = module.computations[std::size_t(module.entry)];
    std::vector<Literal> by_parameter(entry.parameters.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      Instruction& parameter = entry[op().operands[k]];
      parameter.shape = arguments[k].shape;
      by_parameter[std::size_t(parameter.index)] = arguments[k];
    }
    if (range) adapt(entry, *range);
    verify(module);
    Literal result = sw::evaluate(module, by_parameter);
    return result.shape.is_tuple() ? result.elements : std::vector{std::move(result)};
  }

  /// Checks the rule on one cut of a factor that is parallel or a reduction.
  void check(const std::vector<Literal>& arguments, const FactorRange& range) const {
    SCOPED_TRACE(::testing::Message() << to_string(module_) << "factor " << range.factor << " [" << range.first << ", "
                                      << range.limit << ")");
    const Factor& factor = rule_.factors[std::size_t(range.factor)];
    const std::vector<Literal> whole = evaluate(arguments);
    const std::vector<Literal> part = evaluate_part(arguments, range);
    if (factor.kind == Factor::Kind::parallel) {
      for (std::size_t i = 0; i < whole.size(); ++i) {
        expect_near(part[i], sliced(rule_, rule_.results[i], whole[i], range), 1e-6, 1e-6);
      }
      return;
    }
    // The rest of the indices, as up to two more parts that start from the identity.
    Literal sum = part[0];
    for (const auto& [first, limit] : {std::pair{std::int64_t(0), range.first}, std::pair{range.limit, factor.size}}) {
      if (first == limit) continue;
      std::vector<Literal> rest = arguments;
      if (const int initial = starting_operand(); initial >= 0) {
        std::ranges::fill(rest[std::size_t(initial)].values, identity_of(rule_.combiner));
      }
      const Literal more = evaluate_part(rest, {range.factor, first, limit})[0];
      for (std::size_t i = 0; i < sum.values.size(); ++i) {
        sum.values[i] = combined(rule_.combiner, sum.values[i], more.values[i]);
      }
    }
    expect_near(sum, whole[0], 1e-5, 1e-5);
  }

  /// Every factor that may be cut, cut in two places.
  void check_all(unsigned seed) const {
    const std::vector<Literal> values = arguments(seed);
    for (int factor = 0; factor < int(rule_.factors.size()); ++factor) {
      const auto [size, kind] = rule_.factors[std::size_t(factor)];
      if (size < 2 || (kind != Factor::Kind::parallel && kind != Factor::Kind::reduction)) continue;
      check(values, {factor, 0, (size + 1) / 2});
      check(values, {factor, size / 2, size});
    }
  }

 private:
  std::vector<Literal> evaluate_part(const std::vector<Literal>& arguments, const FactorRange& range) const {
    std::vector<Literal> parts;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      parts.push_back(sliced(rule_, rule_.operands[k], arguments[k], range));
    }
    return evaluate(parts, &range);
  }

  /// The operand that counts once, -1 where there is none.
  int starting_operand() const {
    if (op().opcode == Opcode::reduce || op().opcode == Opcode::reduce_window) return 1;
    return op().opcode == Opcode::scatter ? 0 : -1;
  }

  void adapt(Computation& entry, const FactorRange& range) const {
    Instruction& local = entry[entry.root];
    const auto has = [&](const std::vector<int>& dimension) { return std::ranges::count(dimension, range.factor) > 0; };
    const auto resize = [&](Shape& shape, const OpRule::Array& array) {
      for (std::size_t d = 0; d < array.size(); ++d) {
        shape.dimensions[d] = std::ranges::count(kept_indices(rule_, array[d], shape.dimensions[d], range), true);
      }
    };
    if (local.shape.is_tuple()) {
      for (std::size_t i = 0; i < rule_.results.size(); ++i) resize(local.shape.tuple_shapes[i], rule_.results[i]);
    } else {
      resize(local.shape, rule_.results[0]);
    }
    if (local.operands.empty()) return;
    const std::vector<std::int64_t>& sizes = entry[local.operands[0]].shape.dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (!has(rule_.operands[0][d])) continue;
      if (!local.slice_sizes.empty() && local.slice_sizes[d] > sizes[d]) local.slice_sizes[d] = sizes[d];
      if (!local.slice.empty()) local.slice[d] = {0, sizes[d], 1};
      const bool contracts = rule_.factors[std::size_t(range.factor)].kind == Factor::Kind::reduction;
      if (local.opcode == Opcode::reduce_window && contracts) local.window[d].size = sizes[d];
    }
    if (local.opcode == Opcode::convolution) adapt_convolution(entry, local);
  }

  void adapt_convolution(const Computation& entry, Instruction& local) const {
    const ConvolutionDimensions& roles = local.convolution;
    const std::vector<std::int64_t>& input = entry[local.operands[0]].shape.dimensions;
    const std::vector<std::int64_t>& kernel = entry[local.operands[1]].shape.dimensions;
    for (std::size_t i = 0; i < local.window.size(); ++i) {
      local.window[i].size = kernel[std::size_t(roles.kernel_spatial[i])];
    }
    local.feature_groups = input[std::size_t(roles.input_feature)] / kernel[std::size_t(roles.kernel_input_feature)];
    local.batch_groups =
        input[std::size_t(roles.input_batch)] / local.shape.dimensions[std::size_t(roles.output_batch)];
  }

  Module module_;
  const Computation& entry_;
  OpRule rule_;
};

/// The elements of the factors of every dimension are the dimension's.
inline void expect_sizes(const OpRule& rule, const OpRule::Array& array, const Shape& shape) {
  ASSERT_EQ(int(array.size()), shape.rank());
  for (std::size_t d = 0; d < array.size(); ++d) {
    std::int64_t elements = 1;
    bool is_exact = true;
    for (const int factor : array[d]) {
      const Factor& f = rule.factors[std::size_t(factor)];
      elements *= f.size;
      if (f.kind == Factor::Kind::shifted) is_exact = false;
    }
    if (!is_exact) continue;
    EXPECT_EQ(elements, shape.dimensions[d]) << "dimension " << d;
  }
}

}  // namespace podsim::sw::testing
