// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/op_rule_builder.h.
#include <algorithm>
#include <numeric>

#include "hlo/spmd/propagate/op_rule_builder.h"

/// Rules of ops that keep the elements in row-major order and only change the dimensions.
namespace podsim::hlo::spmd::propagate {

namespace {

using Kind = Factor::Kind;

/// A cursor over the dimensions of an array, from the major to the minor, that consumes them in parts. Dimensions of
/// one element are skipped.
class Dimensions {
 public:
  Dimensions(bool is_result, const hlo::Shape& shape) : is_result_(is_result), shape_(shape) { settle(); }

  bool at_end() const { return dimension_ == shape_.rank(); }
  /// The unconsumed part of the current dimension.
  std::int64_t left() const { return left_; }
  OpRuleBuilder::Place place() const { return {is_result_, 0, dimension_}; }
  /// Consumes a major part of the current dimension.
  void take(std::int64_t part) {
    left_ /= part;
    if (left_ > 1) return;
    ++dimension_;
    settle();
  }

 private:
  void settle() {
    while (!at_end() && shape_.dimensions[std::size_t(dimension_)] == 1) ++dimension_;
    left_ = at_end() ? 1 : shape_.dimensions[std::size_t(dimension_)];
  }

  bool is_result_;
  const hlo::Shape& shape_;
  int dimension_ = 0;
  std::int64_t left_ = 1;
};

/// Consumes both arrays up to their next common border, in factors of kind whole.
void skip_to_common_border(OpRuleBuilder& rule, Dimensions& from, Dimensions& to) {
  std::int64_t before = 1, after = 1;
  do {
    const bool behind = before <= after;
    Dimensions& next = behind ? from : to;
    const std::int64_t size = next.left();
    (behind ? before : after) *= size;
    rule.join_part(Kind::whole, size, {next.place()});
    next.take(size);
  } while (before != after);
}

}  // namespace

void reshape_rule(OpRuleBuilder& rule) {
  const std::int64_t elements = rule.operand(0).element_count();
  if (elements == 0 || elements != rule.result(0).element_count()) return;
  Dimensions from(false, rule.operand(0)), to(true, rule.result(0));
  while (!from.at_end()) {
    const std::int64_t common = std::gcd(from.left(), to.left());
    const bool fits = common == from.left() || common == to.left();
    if (common > 1) {
      rule.join_part(Kind::parallel, common, {from.place(), to.place()});
      from.take(common);
      to.take(common);
    }
    if (!fits) skip_to_common_border(rule, from, to);
  }
}

void bitcast_rule(OpRuleBuilder& rule) {
  const hlo::Shape &from = rule.operand(0), &to = rule.result(0);
  const auto is_row_major = [](const hlo::Shape& shape) {
    return shape.minor_to_major.empty() || std::ranges::is_sorted(shape.minor_to_major, std::ranges::greater());
  };
  if (from.element_type != to.element_type) return;
  if (is_row_major(from) && is_row_major(to)) return reshape_rule(rule);
  if (from.dimensions == to.dimensions && from.minor_to_major == to.minor_to_major) rule.join_arrays(0, 0);
}

void bitcast_convert_rule(OpRuleBuilder& rule) {
  const int shared = std::min(rule.operand(0).rank(), rule.result(0).rank());
  for (int d = 0; d < shared; ++d) rule.join(Kind::parallel, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
}

}  // namespace podsim::hlo::spmd::propagate
