// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/contraction_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sw/graph/flops.h"
#include "sw/profile/convolution_match.h"
#include "sw/profile/dot_match.h"

namespace podsim::sw {
namespace {

/// XLA's count of the whole op cannot be below that of its contraction; figures of a profile are rounded.
constexpr double kRounding = 1.004;
/// Dimensions in another order meet more or fewer taps in the padding; the usual order comes first and stays unless
/// another one explains this much more.
constexpr double kOtherOrder = 1.05;
/// A contraction that explains less than this is not the op's main one.
constexpr double kLeastShare = 0.5;
/// A vector has no contraction worth a matrix unit.
constexpr std::int64_t kLeastElements = 16;

class Search {
 public:
  Search(const std::vector<Shape>& results, const std::vector<Shape>& operands, double flops)
      : results_(results), operands_(operands), flops_(flops) {}

  std::optional<Contraction> run() {
    for (int result = 0; result < int(results_.size()); ++result) {
      for (int lhs = 0; lhs < int(operands_.size()); ++lhs) {
        for (int rhs = 0; rhs < int(operands_.size()); ++rhs) try_pair(result, lhs, rhs);
      }
    }
    if (!explained()) {
      for (int result = 0; result < int(results_.size()); ++result) {
        for (int rhs = 0; rhs < int(operands_.size()); ++rhs) try_half(result, rhs);
      }
    }
    if (!explained()) invent();
    return std::move(best_);
  }

 private:
  bool explained() const { return best_ && 2.0 * double(best_->multiply_accumulates) >= kLeastShare * flops_; }

  void try_pair(int result, int lhs, int rhs) {
    const Shape &out = results_[result], &left = operands_[lhs], &right = operands_[rhs];
    if (std::min({out.element_count(), left.element_count(), right.element_count()}) < kLeastElements) return;
    for (Instruction& convolution : matching_convolutions(out, left, right)) {
      if (lhs == rhs) break;
      offer({result, lhs, rhs, std::move(convolution), {}, 0}, left, right);
    }
    if (lhs > rhs) return;  // dots find both orders
    for (Instruction& dot : matching_dots(out, left, right)) {
      offer({result, lhs, rhs, std::move(dot), {}, 0}, left, right);
    }
  }

  void try_half(int result, int rhs) {
    if (operands_[rhs].rank() < 2 || results_[result].rank() < 2) return;
    std::optional<HalfMatch> half = matching_half(results_[result], operands_[rhs]);
    if (!half || half->dot.shape.dimensions.empty()) return;
    const Shape made = half->lhs;
    offer({result, -1, rhs, std::move(half->dot), made, 0}, made, operands_[rhs]);
  }

  /// Takes the candidate when it explains more than what was found before, or as much as a convolution that was found
  /// as a dot.
  void offer(Contraction candidate, const Shape& lhs, const Shape& rhs) {
    candidate.multiply_accumulates = multiply_accumulates(candidate.hero, lhs, rhs);
    if (2.0 * double(candidate.multiply_accumulates) > kRounding * flops_) return;
    if (best_) {
      const double before = double(best_->multiply_accumulates), now = double(candidate.multiply_accumulates);
      const bool first_convolution = candidate.hero.opcode == Opcode::convolution && best_->hero.opcode == Opcode::dot;
      if (now <= (first_convolution ? before / kRounding : before * kRounding)) return;
    }
    best_ = std::move(candidate);
  }

  double least_gain(const Contraction& candidate) const {
    const bool convolution = candidate.hero.opcode == Opcode::convolution;
    if (convolution && best_->hero.opcode == Opcode::dot) return 1 / kRounding;
    const bool same_arrays =
        candidate.result == best_->result && candidate.lhs == best_->lhs && candidate.rhs == best_->rhs;
    return convolution && same_arrays ? kOtherOrder : kRounding;
  }

  /// All FLOPs into the largest result, of operands that both are made.
  void invent() {
    auto largest = std::ranges::max_element(results_, {}, [](const Shape& shape) { return shape.element_count(); });
    if (largest == results_.end() || largest->rank() < 1) return;
    const std::int64_t depth = std::llround(flops_ / (2.0 * double(largest->element_count())));
    if (depth < 1) return;
    Contraction made;
    made.result = int(largest - results_.begin());
    made.lhs = made.rhs = -1;
    const std::int64_t lanes = largest->dimensions[largest->minor_dimension(0)];
    made.hero = plain_dot(*largest, lanes);
    made.made = make_shape(ElementType::bf16, {largest->element_count() / lanes, depth});
    made.multiply_accumulates = largest->element_count() * depth;
    best_ = std::move(made);
  }

  const std::vector<Shape>&results_, &operands_;
  double flops_;
  std::optional<Contraction> best_;
};

}  // namespace

std::optional<Contraction> find_contraction(const std::vector<Shape>& results, const std::vector<Shape>& operands,
                                            double flops) {
  return Search(results, operands, flops).run();
}

}  // namespace podsim::sw
