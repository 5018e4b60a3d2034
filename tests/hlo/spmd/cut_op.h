// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/eval/index_space.h"
#include "hlo/spmd/propagate/op_rule.h"
#include "tests/hlo/literals.h"

/// Compares an op on whole arrays with the same op on slices of them, as its rule states.
namespace podsim::hlo::spmd::testing {

/// The indices [first, limit) of a factor.
struct FactorRange {
  int factor;
  std::int64_t first, limit;
};

/// The elements of a dimension that remain under ranges of its factors: one flag for each index.
inline std::vector<bool> kept_indices(const propagate::OpRule& rule, const std::vector<int>& dimension,
                                      std::int64_t size, const FactorRange& range) {
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

inline hlo::Literal sliced(const propagate::OpRule& rule, const propagate::OpRule::Array& array,
                           const hlo::Literal& whole, const FactorRange& range) {
  std::vector<std::vector<bool>> kept;
  hlo::Shape shape = whole.shape;
  for (std::size_t d = 0; d < array.size(); ++d) {
    kept.push_back(kept_indices(rule, array[d], whole.shape.dimensions[d], range));
    shape.dimensions[d] = std::ranges::count(kept[d], true);
  }
  hlo::Literal part{shape, {}, {}};
  std::size_t at = 0;
  eval::for_each_index(whole.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    bool inside = true;
    for (std::size_t d = 0; d < index.size(); ++d) inside = inside && kept[d][std::size_t(index[d])];
    if (inside) part.values.push_back(whole.values[at]);
    ++at;
  });
  return part;
}

/// The identity of a combiner.
inline double identity_of(hlo::Opcode combiner) {
  switch (combiner) {
    case hlo::Opcode::multiply:
    case hlo::Opcode::logical_and:
      return 1;
    case hlo::Opcode::minimum:
      return std::numeric_limits<double>::infinity();
    case hlo::Opcode::maximum:
      return -std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

inline double combined(hlo::Opcode combiner, double x, double y) {
  switch (combiner) {
    case hlo::Opcode::multiply:
      return x * y;
    case hlo::Opcode::minimum:
      return std::min(x, y);
    case hlo::Opcode::maximum:
      return std::max(x, y);
    case hlo::Opcode::logical_and:
      return x != 0 && y != 0;
    case hlo::Opcode::logical_or:
      return x != 0 || y != 0;
    default:
      return x + y;
  }
}

/// A module whose entry is parameters and one op on them, its root.
class OpUnderTest {
 public:
  explicit OpUnderTest(hlo::Module module)
      : module_(std::move(module)),
        entry_(module_.computations[std::size_t(module_.entry)]),
        rule_(propagate::op_rule(module_, entry_, entry_.root)) {}

  const propagate::OpRule& rule() const { return rule_; }
  const hlo::Instruction& op() const { return entry_[entry_.root]; }

  /// Arguments in the order of the op's operands. Integers are small, so that they can be indices; real numbers are
  /// positive, as variances are.
  std::vector<hlo::Literal> arguments(unsigned seed) const {
    std::vector<hlo::Literal> result;
    for (const hlo::InstructionId operand : op().operands) {
      const hlo::Shape& shape = entry_[operand].shape;
      if (shape.element_type == hlo::ElementType::s32) {
        result.push_back(hlo::testing::random_literal(shape, ++seed, -1, 4));
        for (double& value : result.back().values) value = std::floor(value);
      } else if (shape.element_type == hlo::ElementType::pred) {
        result.push_back(hlo::testing::random_literal(shape, ++seed, 0, 1));
        for (double& value : result.back().values) value = value < 0.5 ? 1 : 0;
      } else {
        result.push_back(hlo::testing::random_literal(shape, ++seed, 0.1, 1));
      }
    }
    return result;
  }

  /// The results of the op on arguments of these shapes, with the attributes that follow from them.
  std::vector<hlo::Literal> evaluate(const std::vector<hlo::Literal>& arguments,
                                     const FactorRange* range = nullptr) const {
    hlo::Module module = module_;
    hlo::Computation& entry = module.computations[std::size_t(module.entry)];
    std::vector<hlo::Literal> by_parameter(entry.parameters.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      hlo::Instruction& parameter = entry[op().operands[k]];
      parameter.shape = arguments[k].shape;
      by_parameter[std::size_t(parameter.index)] = arguments[k];
    }
    if (range) adapt(entry, *range);
    build::verify(module);
    hlo::Literal result = eval::evaluate(module, by_parameter);
    return result.shape.is_tuple() ? result.elements : std::vector{std::move(result)};
  }

  /// Checks the rule on one range of a factor that is parallel or a reduction.
  void check(const std::vector<hlo::Literal>& arguments, const FactorRange& range) const {
    SCOPED_TRACE(::testing::Message() << hlo::to_string(module_) << "factor " << range.factor << " [" << range.first
                                      << ", " << range.limit << ")");
    const propagate::Factor& factor = rule_.factors[std::size_t(range.factor)];
    const std::vector<hlo::Literal> whole = evaluate(arguments);
    const std::vector<hlo::Literal> part = evaluate_part(arguments, range);
    if (factor.kind == propagate::Factor::Kind::parallel) {
      for (std::size_t i = 0; i < whole.size(); ++i) {
        hlo::testing::expect_near(part[i], sliced(rule_, rule_.results[i], whole[i], range), 1e-6, 1e-6);
      }
      return;
    }
    // The other indices are up to two more parts, which start from the identity.
    hlo::Literal sum = part[0];
    for (const auto& [first, limit] : {std::pair{std::int64_t(0), range.first}, std::pair{range.limit, factor.size}}) {
      if (first == limit) continue;
      std::vector<hlo::Literal> rest = arguments;
      if (const int initial = starting_operand(); initial >= 0) {
        std::ranges::fill(rest[std::size_t(initial)].values, identity_of(rule_.combiner));
      }
      const hlo::Literal more = evaluate_part(rest, {range.factor, first, limit})[0];
      for (std::size_t i = 0; i < sum.values.size(); ++i) {
        sum.values[i] = combined(rule_.combiner, sum.values[i], more.values[i]);
      }
    }
    hlo::testing::expect_near(sum, whole[0], 1e-5, 1e-5);
  }

  /// Checks two ranges of every factor that may be split.
  void check_all(unsigned seed) const {
    const std::vector<hlo::Literal> values = arguments(seed);
    for (int factor = 0; factor < int(rule_.factors.size()); ++factor) {
      const auto [size, kind] = rule_.factors[std::size_t(factor)];
      if (size < 2 || (kind != propagate::Factor::Kind::parallel && kind != propagate::Factor::Kind::reduction))
        continue;
      check(values, {factor, 0, (size + 1) / 2});
      check(values, {factor, size / 2, size});
    }
  }

 private:
  std::vector<hlo::Literal> evaluate_part(const std::vector<hlo::Literal>& arguments, const FactorRange& range) const {
    std::vector<hlo::Literal> parts;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      parts.push_back(sliced(rule_, rule_.operands[k], arguments[k], range));
    }
    return evaluate(parts, &range);
  }

  /// The operand that counts once, -1 if there is none.
  int starting_operand() const {
    if (op().opcode == hlo::Opcode::reduce || op().opcode == hlo::Opcode::reduce_window) return 1;
    return op().opcode == hlo::Opcode::scatter ? 0 : -1;
  }

  void adapt(hlo::Computation& entry, const FactorRange& range) const {
    hlo::Instruction& local = entry[entry.root];
    const auto has = [&](const std::vector<int>& dimension) { return std::ranges::count(dimension, range.factor) > 0; };
    const auto resize = [&](hlo::Shape& shape, const propagate::OpRule::Array& array) {
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
      const bool contracts = rule_.factors[std::size_t(range.factor)].kind == propagate::Factor::Kind::reduction;
      if (local.opcode == hlo::Opcode::reduce_window && contracts) local.window[d].size = sizes[d];
    }
    if (local.opcode == hlo::Opcode::convolution) adapt_convolution(entry, local);
  }

  void adapt_convolution(const hlo::Computation& entry, hlo::Instruction& local) const {
    const hlo::ConvolutionDimensions& roles = local.convolution;
    const std::vector<std::int64_t>& input = entry[local.operands[0]].shape.dimensions;
    const std::vector<std::int64_t>& kernel = entry[local.operands[1]].shape.dimensions;
    for (std::size_t i = 0; i < local.window.size(); ++i) {
      local.window[i].size = kernel[std::size_t(roles.kernel_spatial[i])];
    }
    local.feature_groups = input[std::size_t(roles.input_feature)] / kernel[std::size_t(roles.kernel_input_feature)];
    local.batch_groups =
        input[std::size_t(roles.input_batch)] / local.shape.dimensions[std::size_t(roles.output_batch)];
  }

  hlo::Module module_;
  const hlo::Computation& entry_;
  propagate::OpRule rule_;
};

/// Checks that the sizes of the factors of every dimension multiply to the dimension's size.
inline void expect_sizes(const propagate::OpRule& rule, const propagate::OpRule::Array& array,
                         const hlo::Shape& shape) {
  ASSERT_EQ(int(array.size()), shape.rank());
  for (std::size_t d = 0; d < array.size(); ++d) {
    std::int64_t elements = 1;
    bool is_exact = true;
    for (const int factor : array[d]) {
      const propagate::Factor& f = rule.factors[std::size_t(factor)];
      elements *= f.size;
      if (f.kind == propagate::Factor::Kind::shifted) is_exact = false;
    }
    if (!is_exact) continue;
    EXPECT_EQ(elements, shape.dimensions[d]) << "dimension " << d;
  }
}

}  // namespace podsim::hlo::spmd::testing
