// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/rebuilt_matmul.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "sw/profile/body_builder.h"
#include "sw/profile/contraction_search.h"
#include "sw/profile/work_split.h"

namespace podsim::sw::profile {
namespace {

/// A fusion reads all of its operands if XLA's bytes and those of padded arrays agree better than this.
constexpr double reads_all = 0.97;
/// A fusion has several equal contractions if its FLOPs are this close to a multiple of one's.
constexpr double multiple_tolerance = 0.08;

/// The array of the main contraction that an operand is combined with.
enum Side : std::size_t { lhs_side, rhs_side, result_side, side_count };

bool holds_all(const ir::Shape& whole, const ir::Shape& part) {
  return part.rank() == 0 || matched_dimensions(part, whole).size() == part.dimensions.size();
}

class MatmulRebuilder {
 public:
  MatmulRebuilder(const FusionFacts& facts, Contraction contraction)
      : facts_(facts), contraction_(std::move(contraction)) {}

  ir::Module run() {
    const FusionTraffic traffic = fusion_traffic(facts_);
    for (std::size_t i = 0; i < facts_.operands.size(); ++i) {
      ir::InstructionId value = body_.parameter(facts_.operands[i]);
      if (!is_factor(i) && traffic.read[i] < ir::padded_bytes(facts_.operands[i])) {
        value = body_.slice(value, traffic.read[i]);
      }
      operands_.push_back(value);
    }
    find_sides();
    count_work();
    ir::InstructionId value = -1;
    for (const ContractionStep& step : contraction_.steps) {
      const bool last = &step == &main();
      const ir::InstructionId lhs = factor(step.lhs, lhs_side, last, value);
      const ir::InstructionId rhs = factor(step.rhs, rhs_side, last, value);
      for (std::int64_t i = 0; i < (last ? repeated_ : 1); ++i) {
        ir::Instruction hero = step.hero;
        hero.operands = {lhs, rhs};
        value = body_.add(std::move(hero));
      }
    }
    return finish(value);
  }

 private:
  const ContractionStep& main() const { return contraction_.steps.back(); }

  bool is_factor(std::size_t operand) const {
    return std::ranges::any_of(contraction_.steps, [&](const ContractionStep& step) {
      return step.lhs == int(operand) || step.rhs == int(operand);
    });
  }

  /// Shape of the main contraction's operand or result.
  ir::Shape side_shape(Side side) const {
    if (side == result_side) {
      return contraction_.result < 0 ? main().hero.shape : facts_.results[std::size_t(contraction_.result)];
    }
    const int from = side == lhs_side ? main().lhs : main().rhs;
    if (from == made_inside) return side == lhs_side ? contraction_.made_lhs : contraction_.made_rhs;
    if (from == earlier_result) return contraction_.steps[contraction_.steps.size() - 2].hero.shape;
    return facts_.operands[std::size_t(from)];
  }

  /// Assigns each operand to a side that has its dimensions. If several have, it goes to the result if it is as large
  /// as that, else to the side with the most operands so far, or the larger one on a tie. Operands that fit only the
  /// factors come first.
  void find_sides() {
    std::vector<std::pair<std::size_t, std::vector<Side>>> open;
    for (std::size_t i = 0; i < facts_.operands.size(); ++i) {
      const ir::Shape& operand = facts_.operands[i];
      if (is_factor(i) || operand.element_count() < 2) continue;
      std::vector<Side> able;
      for (Side side : {result_side, lhs_side, rhs_side}) {
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

  std::int64_t elements(Side side) const { return side_shape(side).element_count(); }

  /// Number of operations that operands, conversions and reductions of a side require.
  std::int64_t expected(Side side) const {
    auto narrow = [](const ir::Shape& shape) { return shape.element_type == ir::ElementType::bf16 ? 1 : 0; };
    std::int64_t count = 0;
    for (std::size_t i : sides_[side]) {
      const bool as_large = facts_.operands[i].element_count() == elements(side);
      count += 1 + (as_large ? narrow(facts_.operands[i]) : 0);
    }
    if (side == result_side) return count + narrow(side_shape(side)) + std::int64_t(facts_.results.size()) - 1;
    if (side_shape(side).element_type == ir::ElementType::f32) return count + 1;  // rounded for the matrix unit
    return count > 0 ? count + 2 * narrow(side_shape(side)) : 0;
  }

  void count_work() {
    const double all = 2.0 * double(contraction_.multiply_accumulates());
    const double ratio = facts_.flops / all;
    repeated_ = std::max<std::int64_t>(1, std::llround(ratio));
    const bool multiple = std::abs(ratio - double(repeated_)) <= multiple_tolerance * ratio;
    if (!multiple || contraction_.steps.size() > 1) repeated_ = 1;
    std::vector<WorkSide> sides;
    for (Side side : {lhs_side, rhs_side, result_side}) sides.push_back({double(elements(side)), expected(side)});
    work_ = split_work(std::max(0.0, facts_.flops - double(repeated_) * all), sides);
  }

  std::vector<ir::InstructionId> others(Side side) {
    const int from = side == lhs_side ? main().lhs : side == rhs_side ? main().rhs : contraction_.result;
    const auto layout = from < 0 ? BodyBuilder::Layout::free : BodyBuilder::Layout::given;
    std::vector<ir::InstructionId> values;
    for (std::size_t i : sides_[side]) values.push_back(body_.broadcast(operands_[i], side_shape(side), layout));
    return values;
  }

  ir::InstructionId factor(int from, Side side, bool last, ir::InstructionId earlier) {
    if (from >= 0 && !last) return operands_[std::size_t(from)];
    const ir::Shape shape = side_shape(side);
    std::vector<ir::InstructionId> read = others(side);
    const auto operations = std::max(work_[side], std::int64_t(read.size()));
    if (from >= 0) return exponential(side, body_.elementwise(operands_[std::size_t(from)], shape, operations, read));
    if (from == earlier_result) return exponential(side, body_.elementwise(earlier, shape, operations, read));
    // Made from values that the fusion reads, at least from a scalar.
    if (read.empty()) read.push_back(body_.parameter(ir::make_shape(ir::ElementType::f32, {})));
    return body_.elementwise(read.front(), shape, std::max<std::int64_t>(1, operations), read);
  }

  /// A batched product whose factor or result comes with statistics of its rows is attention: the array with statistics
  /// is the exponential of the scores, which XLA does not count as FLOPs.
  ir::InstructionId exponential(Side side, ir::InstructionId value) {
    const ir::Shape shape = side_shape(side);
    const bool statistics = std::ranges::any_of(sides_[side], [&](std::size_t i) {
      return facts_.operands[i].rank() + 1 == shape.rank() && facts_.operands[i].element_type == ir::ElementType::f32;
    });
    if (main().hero.opcode != ir::Opcode::dot || main().hero.dot.lhs_batch.empty() || !statistics) return value;
    ir::Instruction exponential;
    exponential.opcode = ir::Opcode::exponential;
    exponential.shape = shape;
    exponential.operands = {value};
    return body_.add(std::move(exponential));
  }

  /// Appends the epilogue and the other results: reductions of the main array, or more arrays.
  ir::Module finish(ir::InstructionId value) {
    const ir::Shape array = side_shape(result_side);
    const auto reductions =
        std::ranges::count_if(facts_.results, [&](const ir::Shape& result) { return is_reduction(result, array); });
    const std::vector<ir::InstructionId> read = others(result_side);
    const auto operations = std::max(work_[result_side] - reductions, std::int64_t(read.size()));
    value = exponential(result_side, body_.elementwise(value, array, operations, read));
    std::vector<ir::InstructionId> results;
    for (std::size_t i = 0; i < facts_.results.size(); ++i) {
      const ir::Shape& result = facts_.results[i];
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

  static bool is_reduction(const ir::Shape& result, const ir::Shape& array) {
    return result.element_count() < array.element_count() && holds_all(array, result);
  }

  const FusionFacts& facts_;
  Contraction contraction_;
  BodyBuilder body_;
  std::vector<ir::InstructionId> operands_;
  std::array<std::vector<std::size_t>, side_count> sides_;
  std::vector<std::int64_t> work_;
  std::int64_t repeated_ = 1;  ///< number of equal contractions
};

}  // namespace

FusionTraffic fusion_traffic(const FusionFacts& facts) {
  FusionTraffic traffic;
  base::Bytes all;
  for (const ir::Shape& result : facts.results) traffic.written += ir::padded_bytes(result);
  for (const ir::Shape& operand : facts.operands) {
    traffic.read.push_back(ir::padded_bytes(operand));
    all += traffic.read.back();
  }
  all += traffic.written;
  if (!facts.bytes || *facts.bytes > reads_all * double(all.value()) || facts.operands.empty()) return traffic;
  double excess = double(all.value()) - *facts.bytes;
  std::vector<std::size_t> order(facts.operands.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return traffic.read[a] > traffic.read[b]; });
  const base::Bytes largest = traffic.read[order.front()];
  if (*facts.bytes < double(traffic.written.value()) && largest <= traffic.written) {
    // Fewer bytes than the result: a part of an operand is replaced in place, and only that part is read and written.
    traffic.in_place = true;
    const double rest = double((all - largest - traffic.written).value());
    const double part = std::max(0.0, *facts.bytes - rest) / 2;
    traffic.written = base::Bytes(std::int64_t(part));
    traffic.read[order.front()] = base::Bytes(std::int64_t(part));
    return traffic;
  }
  for (std::size_t i : order) {
    const double kept = std::max(double(traffic.read[i].value()) - excess, 0.0);
    excess -= double(traffic.read[i].value()) - kept;
    traffic.read[i] = base::Bytes(std::int64_t(kept));
    if (excess <= 0) break;
  }
  return traffic;
}

std::optional<ir::Module> rebuild_matmul_fusion(const FusionFacts& facts) {
  ContractionArrays arrays{facts.results, facts.operands, {}};
  const FusionTraffic traffic = fusion_traffic(facts);
  for (std::size_t i = 0; i < facts.operands.size(); ++i) {
    arrays.read_whole.push_back(2 * traffic.read[i] > ir::padded_bytes(facts.operands[i]));
  }
  std::optional<Contraction> contraction = find_contraction(arrays, facts.flops);
  if (!contraction) return std::nullopt;
  return MatmulRebuilder(facts, *std::move(contraction)).run();
}

}  // namespace podsim::sw::profile
