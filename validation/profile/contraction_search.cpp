// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/contraction_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "validation/profile/body_builder.h"
#include "validation/profile/convolution_match.h"
#include "validation/profile/dot_match.h"
#include "validation/profile/measured_array.h"
#include "validation/profile/not_modelled.h"

namespace podsim::validation::profile {
namespace {

/// The contraction has at most XLA's count for the whole op; numbers in a profile are rounded.
constexpr double rounding = 1.004;
/// Dimensions in another order have more or fewer taps in the padding. The usual order comes first and is kept unless
/// another one explains this much more.
constexpr double other_order = 1.05;
/// A contraction that explains less than this fraction is not the op's main one.
constexpr double min_share = 0.7;
constexpr double min_share_at_all = 0.4;
/// Two convolutions in sequence are tried if a single one leaves more than this share to other work.
constexpr double min_share_of_one = 0.97;
/// A compiler would not fuse a chain that pads its products by more than this.
constexpr std::int64_t max_padding = 8;
/// A smaller array has no contraction worth a matrix unit.
constexpr std::int64_t min_elements = 16;

/// A kernel with a longer side is an image.
constexpr std::int64_t max_side = 7;

/// Limits on chains so that all can be tried: contractions in a chain, candidate factors, and combinations.
constexpr std::size_t max_steps = 3;
constexpr std::size_t max_links = 8;
constexpr std::int64_t max_tried = 20'000;
/// Limit on pairs of operands, each with a result. An op with as many has hundreds of large operands.
constexpr std::int64_t max_pairs = std::int64_t(1) << 18;

class Search {
 public:
  Search(const ContractionArrays& arrays, double flops)
      : results_(arrays.results), operands_(arrays.operands), read_whole_(arrays.read_whole), flops_(flops) {
    for (const hlo::Shape& operand : operands_) fits_operands_.push_back(fits_another(operand));
  }

  std::optional<Contraction> run() {
    for_all_pairs([&](int result, int lhs, int rhs) { try_pair(result, lhs, rhs); });
    for (int result = 0; !explained() && result < int(results_.size()); ++result) {
      for (int both = 0; both < int(operands_.size()); ++both) try_pair(result, both, both);
    }
    if (!explained()) try_chains();
    if (!explained(min_share_of_one)) try_convolution_chains();
    if (!explained()) {
      for_all_pairs([&](int result, int lhs, int rhs) { try_groups(result, lhs, rhs, Groups::of_several); });
    }
    if (!explained() || is_square(*best_) || !explains(*best_, min_share_at_all)) {
      for (int result = 0; result < int(results_.size()); ++result) {
        for (int rhs = 0; rhs < int(operands_.size()); ++rhs) try_half(result, rhs);
      }
    }
    if (!explained(min_share_at_all)) invent();
    return std::move(best_);
  }

 private:
  bool explained(double share = min_share) const { return best_ && (is_depthwise(*best_) || explains(*best_, share)); }

  bool explains(const Contraction& contraction, double share = min_share) const {
    return 2.0 * double(contraction.multiply_accumulates()) >= share * flops_;
  }

  static bool is_depthwise(const Contraction& contraction) { return contraction.steps.front().depthwise; }

  template <class Try>
  void for_all_pairs(Try attempt) {
    for (int result = 0; result < int(results_.size()); ++result) {
      for (int lhs = 0; lhs < int(operands_.size()); ++lhs) {
        for (int rhs = 0; rhs < int(operands_.size()); ++rhs) {
          if (lhs != rhs) attempt(result, lhs, rhs);
        }
      }
    }
  }

  void try_groups(int result, int lhs, int rhs, Groups groups) {
    const hlo::Shape &out = results_[result], &left = operands_[lhs], &right = operands_[rhs];
    if (out.element_count() < min_elements || !is_factor(lhs) || !is_factor(rhs)) return;
    for (hlo::Instruction& convolution : matching_convolutions(out, left, right, groups)) {
      std::vector<ContractionStep> steps{step(lhs, rhs, std::move(convolution), left, right)};
      // A kernel of half of the features may be the second of a chain, whose first kernel is left over.
      if (groups == Groups::of_several && misfits(steps) > 0) continue;
      offer(result, std::move(steps));
    }
  }

  void try_pair(int result, int lhs, int rhs) {
    const hlo::Shape &out = results_[result], &left = operands_[lhs], &right = operands_[rhs];
    if (out.element_count() < min_elements || !is_factor(lhs) || !is_factor(rhs)) return;
    if (++pairs_ > max_pairs) throw NotModelled("there are more than 2^18 pairs of operands that may be a contraction");
    if (lhs != rhs) {
      try_groups(result, lhs, rhs, Groups::none);
      try_groups(result, lhs, rhs, Groups::of_one);
    }
    if (lhs > rhs) return;  // dots are found in both orders
    for (hlo::Instruction& dot : matching_dots(out, left, right)) {
      offer(result, {step(lhs, rhs, std::move(dot), left, right)});
    }
  }

  /// Tries chains: two operands make an array that is contracted with a third one, and so on.
  void try_chains() {
    for (int i = 0; i < int(operands_.size()); ++i) {
      if (is_factor(i) && operands_[std::size_t(i)].rank() > 1) links_.push_back(i);
    }
    if (links_.size() > max_links) return;
    std::vector<ContractionStep> steps;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (std::size_t j = i; j < links_.size(); ++j) extend(steps, links_[i], operands_[links_[i]], links_[j]);
    }
  }

  void extend(std::vector<ContractionStep>& steps, int lhs, const hlo::Shape& left, int rhs) {
    for (hlo::Instruction& dot : intermediate_dots(left, operands_[rhs])) {
      if (++tried_ > max_tried) return;
      steps.push_back(step(lhs, rhs, std::move(dot), left, operands_[rhs]));
      if (2.0 * sum(steps) <= rounding * flops_) continue_chain(steps);
      steps.pop_back();
    }
  }

  void continue_chain(std::vector<ContractionStep>& steps) {
    const hlo::Shape value = steps.back().hero.shape;
    finish_chain(steps, value);
    for (int next : links_) {
      const hlo::Shape& operand = operands_[next];
      if (uses(steps, next)) continue;
      for (int result = 0; result < int(results_.size()); ++result) {
        for (hlo::Instruction& dot : matching_dots(results_[result], value, operand)) {
          std::vector<ContractionStep> chain = steps;
          chain.push_back(step(earlier_result, next, std::move(dot), value, operand));
          offer(result, std::move(chain));
        }
      }
      if (steps.size() + 1 < max_steps) extend(steps, earlier_result, value, next);
    }
  }

  /// Tries two convolutions in sequence: the first one, of an image and a kernel, keeps the positions of the image.
  void try_convolution_chains() {
    for (int image = 0; image < int(operands_.size()); ++image) {
      for (int kernel = 0; kernel < int(operands_.size()); ++kernel) {
        if (is_kernel(image) || !is_factor(image) || !is_factor(kernel) || !is_kernel(kernel)) continue;
        for (const hlo::Shape& value : convolved(image, kernel)) {
          for (hlo::Instruction& first :
               matching_convolutions(value, operands_[std::size_t(image)], operands_[std::size_t(kernel)])) {
            continue_convolution(
                step(image, kernel, std::move(first), operands_[std::size_t(image)], operands_[std::size_t(kernel)]),
                value);
          }
        }
      }
    }
  }

  void continue_convolution(const ContractionStep& first, const hlo::Shape& value) {
    if (2.0 * double(first.multiply_accumulates) > rounding * flops_) return;
    for (int next = 0; next < int(operands_.size()); ++next) {
      const hlo::Shape& operand = operands_[std::size_t(next)];
      if (next == first.lhs || next == first.rhs || !is_factor(next)) continue;
      for (int result = 0; result < int(results_.size()); ++result) {
        if (++tried_ > max_tried) return;
        for (hlo::Instruction& second : matching_convolutions(results_[std::size_t(result)], value, operand)) {
          offer(result, {first, step(earlier_result, next, std::move(second), value, operand)});
        }
        for (hlo::Instruction& second : matching_convolutions(results_[std::size_t(result)], operand, value)) {
          offer(result, {first, step(next, earlier_result, std::move(second), operand, value)});
        }
      }
    }
  }

  /// True for a window of few taps with as many or more features.
  bool is_kernel(int operand) const {
    const hlo::Shape& shape = operands_[std::size_t(operand)];
    return shape.rank() == 4 && shape.dimensions[0] <= max_side && shape.dimensions[1] <= max_side;
  }

  /// Arrays that a kernel makes of an image in the order of both: the image with the kernel's other features.
  std::vector<hlo::Shape> convolved(int image, int kernel) const {
    const hlo::Shape &from = operands_[std::size_t(image)], &window = operands_[std::size_t(kernel)];
    if (from.rank() != 4) return {};
    std::vector<hlo::Shape> values;
    for (const int input : {2, 3}) {
      if (from.dimensions[3] != window.dimensions[std::size_t(input)]) continue;
      hlo::Shape value = from;
      value.dimensions[3] = window.dimensions[std::size_t(5 - input)];
      if (values.empty() || values.front().dimensions != value.dimensions) values.push_back(value);
    }
    return values;
  }

  /// Offers a chain that ends in a sum over some dimensions of its last array.
  void finish_chain(const std::vector<ContractionStep>& steps, const hlo::Shape& value) {
    if (steps.size() < 2) return;
    for (const hlo::Shape& result : results_) {
      const bool sum = result.rank() >= 1 && result.element_count() < value.element_count() &&
                       std::ranges::all_of(result.dimensions, [&](std::int64_t size) {
                         return size == 1 || std::ranges::find(value.dimensions, size) != value.dimensions.end();
                       });
      if (sum) return offer(-1, steps);
    }
  }

  bool is_factor(int operand) const {
    const hlo::Shape& shape = operands_[std::size_t(operand)];
    return read_whole_[std::size_t(operand)] && shape.element_count() >= min_elements &&
           hlo::is_floating_point(shape.element_type);
  }

  static bool uses(const std::vector<ContractionStep>& steps, int operand) {
    return std::ranges::any_of(steps, [&](const ContractionStep& s) { return s.lhs == operand || s.rhs == operand; });
  }

  static double sum(const std::vector<ContractionStep>& steps) {
    double count = 0;
    for (const ContractionStep& s : steps) count += double(s.multiply_accumulates);
    return count;
  }

  static ContractionStep step(int lhs, int rhs, hlo::Instruction hero, const hlo::Shape& left,
                              const hlo::Shape& right) {
    const std::int64_t count = hlo::transform::multiply_accumulates(hero, left, right);
    const sw::compiler::tiles::MatmulProblem problem =
        sw::compiler::tiles::matmul_problem(hero, left, right, measured_array());
    const std::int64_t rows = problem.weight_tiles(measured_array_side) * std::max(problem.rows, measured_array_side);
    const bool depthwise = profile::is_depthwise(hero, left);
    return {lhs, rhs, std::move(hero), count, depthwise, rows};
  }

  void try_half(int result, int rhs) {
    if (operands_[rhs].rank() < 2 || results_[result].rank() < 2 || !is_factor(rhs)) return;
    std::optional<HalfMatch> half = matching_half(results_[result], operands_[rhs]);
    if (!half || half->dot.shape.dimensions.empty()) return;
    const hlo::Shape made = half->lhs;
    offer(result, {step(made_inside, rhs, std::move(half->dot), made, operands_[rhs])}, made);
  }

  /// Accepts the candidate if it explains more than the best so far, or as much if the best is a convolution that was
  /// found as a dot.
  void offer(int result, std::vector<ContractionStep> steps, const hlo::Shape& made_lhs = {}) {
    Contraction candidate{std::move(steps), result, made_lhs, {}};
    const auto now = double(candidate.multiply_accumulates());
    if (2.0 * now > rounding * flops_) return;
    if (candidate.steps.size() > 1 && array_rows(candidate) * measured_array_side * measured_array_side >
                                          max_padding * candidate.multiply_accumulates()) {
      return;
    }
    if (best_ && is_depthwise(candidate) != is_depthwise(*best_)) {
      // Images of as many rows as columns can be taken for matrices, whose product has more FLOPs than a window.
      const Contraction& other = is_depthwise(candidate) ? *best_ : candidate;
      const bool convincing = explains(other) && !is_product_of_images(other);
      if (convincing == is_depthwise(candidate)) return;
      best_ = std::move(candidate);
      return;
    }
    if (best_ && explained() && candidate.steps.back().lhs == made_inside) {
      if (is_square(*best_) && explains(candidate) && pads_less(candidate, *best_)) best_ = std::move(candidate);
      return;
    }
    if (best_ && candidate.steps.size() > 1 && explained() && best_->steps.size() > 1) {
      // Several chains explain the op. The best one has arrays that fit the other operands, then the fewest contracted
      // dimensions, then the least time on a matrix unit.
      auto rank = [&](const Contraction& c) { return std::tuple(misfits(c.steps), contracted(c), array_rows(c)); };
      if (2.0 * now < min_share * flops_ || rank(candidate) >= rank(*best_)) return;
    } else if (best_ && now <= double(best_->multiply_accumulates()) * min_gain(candidate)) {
      return;
    }
    best_ = std::move(candidate);
  }

  /// True for the product of an operand with itself. A product with an operand made inside may be as large.
  static bool is_square(const Contraction& contraction) {
    const ContractionStep& last = contraction.steps.back();
    return contraction.steps.size() == 1 && last.lhs >= 0 && last.lhs == last.rhs;
  }

  static bool pads_less(const Contraction& contraction, const Contraction& than) {
    return array_rows(contraction) * max_padding <= array_rows(than);
  }

  /// True for a dot whose factors and result are arrays of one size.
  bool is_product_of_images(const Contraction& contraction) const {
    const ContractionStep& only = contraction.steps.back();
    return only.hero.opcode == hlo::Opcode::dot && only.lhs >= 0 && only.rhs >= 0 && contraction.result >= 0 &&
           operands_[std::size_t(only.lhs)].dimensions == operands_[std::size_t(only.rhs)].dimensions &&
           operands_[std::size_t(only.lhs)].dimensions == results_[std::size_t(contraction.result)].dimensions;
  }

  /// Number of operands other than the factors that fit no array of the chain.
  std::int64_t misfits(const std::vector<ContractionStep>& steps) const {
    std::int64_t count = 0;
    for (int i = 0; i < int(operands_.size()); ++i) {
      const bool fits =
          uses(steps, i) || fits_operands_[std::size_t(i)] || std::ranges::any_of(steps, [&](const ContractionStep& s) {
            return holds(s.hero.shape, operands_[std::size_t(i)]);
          });
      count += fits ? 0 : 1;
    }
    return count;
  }

  static bool holds(const hlo::Shape& whole, const hlo::Shape& part) {
    return matched_dimensions(part, whole).size() == part.dimensions.size();
  }

  /// True for a scalar, and for an operand whose dimensions are in another one.
  bool fits_another(const hlo::Shape& operand) const {
    return operand.rank() == 0 || std::ranges::any_of(operands_, [&](const hlo::Shape& other) {
             return &other != &operand && hlo::is_floating_point(other.element_type) && holds(other, operand);
           });
  }

  static std::size_t contracted(const Contraction& contraction) {
    std::size_t dimensions = 0;
    for (const ContractionStep& s : contraction.steps) {
      dimensions += s.hero.opcode == hlo::Opcode::dot ? s.hero.dot->lhs_contracting.size()
                                                      : s.hero.convolution->input_spatial.size() + 1;
    }
    return dimensions;
  }

  static std::int64_t array_rows(const Contraction& contraction) {
    std::int64_t rows = 0;
    for (const ContractionStep& s : contraction.steps) rows += s.array_rows;
    return rows;
  }

  double min_gain(const Contraction& candidate) const {
    const ContractionStep &now = candidate.steps.back(), &before = best_->steps.back();
    const bool convolution = now.hero.opcode == hlo::Opcode::convolution;
    if (convolution && before.hero.opcode == hlo::Opcode::dot) return 1 / rounding;
    return convolution && candidate.result == best_->result ? other_order : rounding;
  }

  /// Invents products of operands made inside: all FLOPs in whole weight tiles. An index vector makes a one-hot matrix,
  /// which selects rows of the product before it.
  void invent() {
    const auto products = std::clamp<std::int64_t>(std::ranges::count_if(operands_, is_index_vector), 1, max_steps);
    const auto rows = std::int64_t(flops_ / (2.0 * double(products * measured_array_side * measured_array_side)));
    if (rows < 1) return;
    ContractionStep step;
    step.lhs = step.rhs = made_inside;
    step.hero = plain_dot(rows, measured_array_side);
    step.multiply_accumulates = rows * measured_array_side * measured_array_side;
    Contraction invented{{step},
                         -1,
                         hlo::make_shape(hlo::ElementType::bf16, {rows, measured_array_side}),
                         hlo::make_shape(hlo::ElementType::bf16, {measured_array_side, measured_array_side})};
    step.lhs = earlier_result;
    while (std::int64_t(invented.steps.size()) < products) invented.steps.push_back(step);
    best_ = std::move(invented);
  }

  static bool is_index_vector(const hlo::Shape& shape) {
    return shape.rank() == 1 && shape.element_count() >= min_elements && hlo::is_integer(shape.element_type);
  }

  const std::vector<hlo::Shape>&results_, &operands_;
  const std::vector<bool>& read_whole_;
  double flops_;
  std::int64_t tried_ = 0, pairs_ = 0;
  std::vector<int> links_;           ///< operands that may be factors in a chain
  std::vector<bool> fits_operands_;  ///< by operand: fits_another()
  std::optional<Contraction> best_;
};

}  // namespace

std::int64_t Contraction::multiply_accumulates() const {
  std::int64_t sum = 0;
  for (const ContractionStep& step : steps) sum += step.multiply_accumulates;
  return sum;
}

std::optional<Contraction> find_contraction(const ContractionArrays& arrays, double flops) {
  return Search(arrays, flops).run();
}

}  // namespace podsim::validation::profile
