// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/rebuilt_matmul.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "validation/profile/body_builder.h"
#include "validation/profile/contraction_search.h"
#include "validation/profile/work_split.h"

namespace podsim::validation::profile {
namespace {

/// A fusion has several equal contractions if its FLOPs are this close to a multiple of one's.
constexpr double multiple_tolerance = 0.08;

/// The array of the main contraction that an operand is combined with.
enum Side : std::size_t { lhs_side, rhs_side, result_side, side_count };

bool holds_all(const hlo::Shape& whole, const hlo::Shape& part) {
  return part.rank() == 0 || matched_dimensions(part, whole).size() == part.dimensions.size();
}

class MatmulRebuilder {
 public:
  MatmulRebuilder(AccessedArrays arrays, double flops, Contraction contraction)
      : arrays_(std::move(arrays)), flops_(flops), contraction_(std::move(contraction)) {
    sum_products_with_vectors();
    for (std::size_t i = 0; i < arrays_.operands.size(); ++i) {
      if (is_factor(i)) arrays_.operands[i] = *arrays_.factors[i];
    }
  }

  hlo::Module run() {
    for (const hlo::Shape& operand : arrays_.operands) operands_.push_back(body_.parameter(operand));
    find_sides();
    count_work();
    hlo::InstructionId value = -1;
    for (const ContractionStep& step : contraction_.steps) {
      const bool last = &step == &main();
      const hlo::InstructionId lhs = factor(step.lhs, lhs_side, last, value);
      const hlo::InstructionId rhs = factor(step.rhs, rhs_side, last, value);
      for (std::int64_t i = 0; i < (last ? repeated_ : 1); ++i) {
        hlo::Instruction hero = step.hero;
        hero.operands = {lhs, rhs};
        value = body_.add(std::move(hero));
      }
    }
    return finish(value);
  }

 private:
  const ContractionStep& main() const { return contraction_.steps.back(); }

  /// XLA makes a multiplication and a sum of a product with a vector for every index of a batch. If it is the last of a
  /// chain, the array before it gets the lanes of the result, which the sum keeps.
  void sum_products_with_vectors() {
    if (contraction_.steps.size() < 2 || contraction_.result < 0) return;
    const hlo::Instruction& last = main().hero;
    if (last.opcode != hlo::Opcode::dot || last.dot->lhs_batch.empty()) return;
    const ContractionStep& before = contraction_.steps[contraction_.steps.size() - 2];
    const hlo::Shape& result = arrays_.results[std::size_t(contraction_.result)];
    const std::vector<std::int64_t> kept = matched_dimensions(result, before.hero.shape);
    const int other = main().lhs == earlier_result ? main().rhs : main().lhs;
    if (other < 0 || result.rank() == 0 || kept.size() != result.dimensions.size()) return;
    const hlo::Shape& vectors = arrays_.operands[std::size_t(other)];
    if (vectors.rank() != int(last.dot->lhs_batch.size() + last.dot->lhs_contracting.size())) return;
    contraction_.steps.pop_back();
    contraction_.result = -1;
    hlo::Shape& array = contraction_.steps.back().hero.shape;
    const auto lanes = int(kept[std::size_t(result.minor_dimension(0))]);
    array.minor_to_major = {lanes};
    for (int d = array.rank() - 1; d >= 0; --d) {
      if (d != lanes) array.minor_to_major.push_back(d);
    }
  }

  bool is_factor(std::size_t operand) const {
    return std::ranges::any_of(contraction_.steps, [&](const ContractionStep& step) {
      return step.lhs == int(operand) || step.rhs == int(operand);
    });
  }

  /// Shape of the main contraction's operand or result.
  hlo::Shape side_shape(Side side) const {
    if (side == result_side) {
      return contraction_.result < 0 ? main().hero.shape : arrays_.results[std::size_t(contraction_.result)];
    }
    const int from = side == lhs_side ? main().lhs : main().rhs;
    if (from == made_inside) return side == lhs_side ? contraction_.made_lhs : contraction_.made_rhs;
    if (from == earlier_result) return contraction_.steps[contraction_.steps.size() - 2].hero.shape;
    return arrays_.operands[std::size_t(from)];
  }

  /// Assigns each operand to a side that has its dimensions. If several have, it goes to the result if it is as large
  /// as that, else to the side with the most operands so far, or the larger one on a tie. Operands that fit only the
  /// factors come first. A factor that is made inside, as a one-hot matrix is of indices, gets integers and what does
  /// not fit the result.
  void find_sides() {
    std::vector<std::pair<std::size_t, std::vector<Side>>> open;
    for (std::size_t i = 0; i < arrays_.operands.size(); ++i) {
      const hlo::Shape& operand = arrays_.operands[i];
      if (is_factor(i) || operand.element_count() < 2) continue;
      std::vector<Side> able;
      for (Side side : {result_side, lhs_side, rhs_side}) {
        if (!able.empty() && is_made(side) && !hlo::is_integer(operand.element_type)) continue;
        if (holds_all(side_shape(side), operand)) able.push_back(side);
      }
      if (able.empty()) {
        sides_[main().lhs < 0 ? lhs_side : result_side].push_back(i);
      } else if (able.size() == 1 ||
                 (able.front() == result_side && operand.element_count() == elements(able.front()))) {
        sides_[able.front()].push_back(i);
      } else {
        open.emplace_back(i, able);
      }
    }
    std::ranges::stable_partition(open, [](const auto& entry) { return entry.second.front() != result_side; });
    for (const auto& [i, able] : open) {
      auto better = [&](Side a, Side b) {
        return std::pair(sides_[a].size(), elements(a)) < std::pair(sides_[b].size(), elements(b));
      };
      sides_[*std::ranges::max_element(able, better)].push_back(i);
    }
  }

  bool is_made(Side side) const {
    return side != result_side && (side == lhs_side ? main().lhs : main().rhs) == made_inside;
  }

  std::int64_t elements(Side side) const { return side_shape(side).element_count(); }

  /// Number of operations that operands, conversions and reductions of a side require.
  std::int64_t expected(Side side) const {
    auto narrow = [](const hlo::Shape& shape) { return shape.element_type == hlo::ElementType::bf16 ? 1 : 0; };
    std::int64_t count = 0;
    for (std::size_t i : sides_[side]) {
      const bool as_large = arrays_.operands[i].element_count() == elements(side);
      count += 1 + (as_large ? narrow(arrays_.operands[i]) : 0);
    }
    if (side == result_side) return count + narrow(side_shape(side)) + std::int64_t(arrays_.results.size()) - 1;
    if (side_shape(side).element_type == hlo::ElementType::f32) return count + 1;  // rounded for the matrix unit
    return count > 0 ? count + 2 * narrow(side_shape(side)) : 0;
  }

  void count_work() {
    const double all = 2.0 * double(contraction_.multiply_accumulates());
    const double ratio = flops_ / all;
    repeated_ = std::max<std::int64_t>(1, std::llround(ratio));
    const bool multiple = std::abs(ratio - double(repeated_)) <= multiple_tolerance * ratio;
    if (!multiple || contraction_.steps.size() > 1 || main().depthwise) repeated_ = 1;
    std::vector<WorkSide> sides;
    for (Side side : {lhs_side, rhs_side, result_side}) sides.push_back({double(elements(side)), expected(side)});
    work_ = split_work(std::max(0.0, flops_ - double(repeated_) * all), sides);
  }

  std::vector<hlo::InstructionId> others(Side side) {
    const int from = side == lhs_side ? main().lhs : side == rhs_side ? main().rhs : contraction_.result;
    const auto layout = from == earlier_result ? BodyBuilder::Layout::free : BodyBuilder::Layout::given;
    std::vector<hlo::InstructionId> values;
    for (std::size_t i : sides_[side]) values.push_back(body_.broadcast(operands_[i], side_shape(side), layout));
    return values;
  }

  hlo::InstructionId factor(int from, Side side, bool last, hlo::InstructionId earlier) {
    if (from >= 0 && !last) return operands_[std::size_t(from)];
    const hlo::Shape shape = side_shape(side);
    std::vector<hlo::InstructionId> read = others(side);
    const auto operations = std::max(work_[side], std::int64_t(read.size()));
    if (from >= 0) return exponential(side, body_.elementwise(operands_[std::size_t(from)], shape, operations, read));
    if (from == earlier_result) return exponential(side, body_.elementwise(earlier, shape, operations, read));
    // Made from values that the fusion reads, at least from a scalar.
    if (read.empty()) read.push_back(body_.parameter(hlo::make_shape(hlo::ElementType::f32, {})));
    return body_.elementwise(read.front(), shape, std::max<std::int64_t>(1, operations), read);
  }

  /// A batched product whose factor or result comes with statistics of its rows is attention: the array with statistics
  /// is the exponential of the scores, which XLA does not count as FLOPs.
  hlo::InstructionId exponential(Side side, hlo::InstructionId value) {
    const hlo::Shape shape = side_shape(side);
    const bool statistics = std::ranges::any_of(sides_[side], [&](std::size_t i) {
      return arrays_.operands[i].rank() + 1 == shape.rank() &&
             arrays_.operands[i].element_type == hlo::ElementType::f32;
    });
    if (main().hero.opcode != hlo::Opcode::dot || main().hero.dot->lhs_batch.empty() || !statistics) return value;
    hlo::Instruction exponential;
    exponential.opcode = hlo::Opcode::exponential;
    exponential.shape = shape;
    exponential.operands = {value};
    return body_.add(std::move(exponential));
  }

  /// Appends the epilogue and the other results: reductions of the main array, or more arrays.
  hlo::Module finish(hlo::InstructionId value) {
    const hlo::Shape array = side_shape(result_side);
    const auto reductions =
        std::ranges::count_if(arrays_.results, [&](const hlo::Shape& result) { return is_reduction(result, array); });
    const std::vector<hlo::InstructionId> read = others(result_side);
    const auto operations = std::max(work_[result_side] - reductions, std::int64_t(read.size()));
    value = exponential(result_side, body_.elementwise(value, array, operations, read));
    std::vector<hlo::InstructionId> results;
    for (std::size_t i = 0; i < arrays_.results.size(); ++i) {
      const hlo::Shape& result = arrays_.results[i];
      if (int(i) == contraction_.result) {
        results.push_back(value);
      } else if (is_reduction(result, array)) {
        results.push_back(body_.reduce(value, result));
      } else {
        results.push_back(body_.elementwise(value, result, 1));
      }
    }
    return std::move(body_).fusion(results);
  }

  static bool is_reduction(const hlo::Shape& result, const hlo::Shape& array) {
    return result.element_count() < array.element_count() && is_sum_of(result, array);
  }

  AccessedArrays arrays_;  ///< factors with their whole shapes
  double flops_;
  Contraction contraction_;
  BodyBuilder body_;
  std::vector<hlo::InstructionId> operands_;
  std::array<std::vector<std::size_t>, side_count> sides_;
  std::vector<std::int64_t> work_;
  std::int64_t repeated_ = 1;  ///< number of equal contractions
};

}  // namespace

std::optional<hlo::Module> rebuild_matmul_fusion(const FusionFacts& facts) {
  const AccessedArrays accessed = accessed_arrays(facts);
  ContractionArrays arrays{accessed.results, accessed.operands, {}};
  for (std::size_t i = 0; i < accessed.operands.size(); ++i) {
    arrays.read_whole.push_back(accessed.factors[i].has_value());
    arrays.operands[i] = accessed.factors[i].value_or(accessed.operands[i]);
  }
  std::optional<Contraction> contraction = find_contraction(arrays, facts.flops);
  if (!contraction) return std::nullopt;
  return MatmulRebuilder(accessed, facts.flops, *std::move(contraction)).run();
}

}  // namespace podsim::validation::profile
