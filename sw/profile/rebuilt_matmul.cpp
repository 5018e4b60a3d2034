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

namespace podsim::sw {
namespace {

/// XLA's bytes and those of padded arrays agree better than this where a fusion reads all of its operands.
constexpr double kReadsAll = 0.97;
/// Equal contractions in one fusion: FLOPs are this close to a multiple of one's.
constexpr double kMultiple = 0.08;

/// Where an operand joins in.
enum Side : std::size_t { lhs_side, rhs_side, result_side, side_count };

bool holds_all(const Shape& whole, const Shape& part) {
  return part.rank() == 0 || matched_dimensions(part, whole).size() == part.dimensions.size();
}

class MatmulRebuilder {
 public:
  MatmulRebuilder(const FusionFacts& facts, Contraction contraction)
      : facts_(facts), contraction_(std::move(contraction)) {}

  Module run() {
    const FusionTraffic traffic = fusion_traffic(facts_);
    for (std::size_t i = 0; i < facts_.operands.size(); ++i) {
      InstructionId value = body_.parameter(facts_.operands[i]);
      const bool factor = int(i) == contraction_.lhs || int(i) == contraction_.rhs;
      if (!factor && traffic.read[i] < padded_bytes(facts_.operands[i])) value = body_.slice(value, traffic.read[i]);
      operands_.push_back(value);
    }
    find_sides();
    count_work();
    const Shape main = facts_.results[std::size_t(contraction_.result)];
    const InstructionId lhs = prologue(lhs_side, contraction_.lhs, contraction_.made);
    const InstructionId rhs = prologue(rhs_side, contraction_.rhs, made_rhs());
    InstructionId value = -1;
    for (std::int64_t i = 0; i < contractions_; ++i) {
      Instruction hero = contraction_.hero;
      hero.operands = {lhs, rhs};
      value = body_.add(std::move(hero));
    }
    return finish(value, main);
  }

 private:
  Shape side_shape(Side side) const {
    switch (side) {
      case lhs_side:
        return contraction_.lhs < 0 ? contraction_.made : facts_.operands[std::size_t(contraction_.lhs)];
      case rhs_side:
        return contraction_.rhs < 0 ? made_rhs() : facts_.operands[std::size_t(contraction_.rhs)];
      default:
        return facts_.results[std::size_t(contraction_.result)];
    }
  }

  /// Both operands are made: the rhs has the depth of the lhs.
  Shape made_rhs() const {
    if (contraction_.rhs >= 0) return {};
    return make_shape(ElementType::bf16, {contraction_.made.dimensions[1], contraction_.hero.shape.dimensions[1]});
  }

  /// An operand belongs to the side that has its dimensions; where several have, to the result if it is as large as
  /// that, else to the side that has most of the operands that no other side could have.
  void find_sides() {
    std::array<int, side_count> sure{};
    std::vector<std::pair<std::size_t, std::vector<Side>>> open;
    for (std::size_t i = 0; i < facts_.operands.size(); ++i) {
      if (int(i) == contraction_.lhs || int(i) == contraction_.rhs) continue;
      const Shape& operand = facts_.operands[i];
      if (operand.element_count() < 2) continue;
      std::vector<Side> able;
      for (Side side : {result_side, lhs_side, rhs_side}) {
        if (holds_all(side_shape(side), operand)) able.push_back(side);
      }
      if (contraction_.lhs < 0 && able.empty()) able.push_back(lhs_side);
      if (able.size() <= 1) {
        const Side side = able.empty() ? result_side : able.front();
        sides_[side].push_back(i);
        ++sure[side];
      } else if (able.front() == result_side && operand.element_count() == side_shape(result_side).element_count()) {
        sides_[result_side].push_back(i);
      } else {
        open.emplace_back(i, able);
      }
    }
    for (const auto& [i, able] : open) {
      const Side side = *std::ranges::max_element(able, {}, [&](Side s) { return sure[s]; });
      sides_[side].push_back(i);
    }
  }

  /// Operations that operands, conversions and reductions of a side ask for.
  std::int64_t expected(Side side) const {
    auto narrow = [](const Shape& shape) { return shape.element_type == ElementType::bf16 ? 1 : 0; };
    std::int64_t count = 0;
    for (std::size_t i : sides_[side]) {
      const bool as_large = facts_.operands[i].element_count() == side_shape(side).element_count();
      count += 1 + (as_large ? narrow(facts_.operands[i]) : 0);
    }
    if (side == result_side) return count + narrow(side_shape(side)) + std::int64_t(facts_.results.size()) - 1;
    if (side_shape(side).element_type == ElementType::f32) return count + 1;  // rounded for the matrix unit
    return count > 0 ? count + 2 * narrow(side_shape(side)) : 0;
  }

  void count_work() {
    const double each = 2.0 * double(contraction_.multiply_accumulates);
    const double ratio = facts_.flops / each;
    contractions_ = std::max<std::int64_t>(1, std::llround(ratio));
    if (std::abs(ratio - double(contractions_)) > kMultiple * ratio) contractions_ = 1;
    const double operations = std::max(0.0, facts_.flops - double(contractions_) * each);
    std::vector<WorkSide> sides;
    for (Side side : {lhs_side, rhs_side, result_side}) {
      sides.push_back({double(side_shape(side).element_count()), expected(side)});
    }
    work_ = split_work(operations, sides);
  }

  std::vector<InstructionId> others(Side side) {
    std::vector<InstructionId> values;
    for (std::size_t i : sides_[side]) values.push_back(body_.broadcast(operands_[i], side_shape(side)));
    return values;
  }

  InstructionId prologue(Side side, int operand, const Shape& made) {
    std::vector<InstructionId> read = others(side);
    if (operand >= 0) {
      return body_.elementwise(operands_[std::size_t(operand)], side_shape(side),
                               std::max(work_[side], std::int64_t(read.size())), read);
    }
    // Made of what the fusion reads, at least of one scalar.
    if (read.empty()) read.push_back(body_.parameter(make_shape(ElementType::f32, {})));
    return body_.elementwise(read.front(), made, std::max<std::int64_t>(1, work_[side]), read);
  }

  /// The epilogue, and the other results: reductions of the main one or arrays beside it.
  Module finish(InstructionId value, const Shape& main) {
    std::int64_t left = work_[result_side];
    std::int64_t reductions = 0;
    for (const Shape& result : facts_.results) reductions += result.element_count() < main.element_count() ? 1 : 0;
    const std::vector<InstructionId> read = others(result_side);
    left = std::max(std::max<std::int64_t>(0, left - reductions), std::int64_t(read.size()));
    value = body_.elementwise(value, main, left, read);
    std::vector<InstructionId> results;
    for (std::size_t i = 0; i < facts_.results.size(); ++i) {
      const Shape& result = facts_.results[i];
      if (int(i) == contraction_.result) {
        results.push_back(value);
      } else if (result.element_count() < main.element_count()) {
        results.push_back(body_.reduce(value, result));
      } else {
        results.push_back(body_.elementwise(value, result, 1));
      }
    }
    return std::move(body_).fusion(results);
  }

  const FusionFacts& facts_;
  Contraction contraction_;
  BodyBuilder body_;
  std::vector<InstructionId> operands_;
  std::array<std::vector<std::size_t>, side_count> sides_;
  std::vector<std::int64_t> work_;
  std::int64_t contractions_ = 1;
};

}  // namespace

FusionTraffic fusion_traffic(const FusionFacts& facts) {
  FusionTraffic traffic;
  base::Bytes all;
  for (const Shape& result : facts.results) traffic.written += padded_bytes(result);
  for (const Shape& operand : facts.operands) {
    traffic.read.push_back(padded_bytes(operand));
    all += traffic.read.back();
  }
  all += traffic.written;
  if (!facts.bytes || *facts.bytes > kReadsAll * double(all.value()) || facts.operands.empty()) return traffic;
  double excess = double(all.value()) - *facts.bytes;
  std::vector<std::size_t> order(facts.operands.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return traffic.read[a] > traffic.read[b]; });
  const base::Bytes largest = traffic.read[order.front()];
  if (*facts.bytes < double(traffic.written.value()) && largest <= traffic.written) {
    // Less than the result: a part of an operand is replaced in place, read and written as far as that.
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

std::optional<Module> rebuild_matmul_fusion(const FusionFacts& facts) {
  std::optional<Contraction> contraction = find_contraction(facts.results, facts.operands, facts.flops);
  if (!contraction) return std::nullopt;
  return MatmulRebuilder(facts, *std::move(contraction)).run();
}

}  // namespace podsim::sw
