// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/gradient.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "sw/ir/float_format.h"
#include "sw/ir/transform/complex_gradient.h"
#include "sw/ir/transform/convolution_gradient.h"
#include "sw/ir/transform/dot_gradient.h"
#include "sw/ir/transform/elementwise_gradient.h"
#include "sw/ir/transform/indexed_gradient.h"
#include "sw/ir/transform/log_add_exp.h"

namespace podsim::sw::ir::transform {

namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<std::int64_t> other_dimensions(int rank, const auto& dimensions) {
  std::vector<std::int64_t> others;
  for (int i = 0; i < rank; ++i) {
    if (std::ranges::count(dimensions, i) == 0) others.push_back(i);
  }
  return others;
}

/// The reverse sweep. gradients_[id] is the sum of the contributions of id's users.
class ReverseSweep {
 public:
  ReverseSweep(build::GraphBuilder& builder, InstructionId loss, std::span<const InstructionId> of,
               std::span<const InstructionId> held, std::span<const GivenGradient> given,
               std::span<const InstructionId> sums)
      : builder_(builder),
        gradients_(loss + 1, -1),
        wanted_(loss + 1, false),
        smooth_distances_(smooth_distances(builder, loss)) {
    for (const GivenGradient& gradient : given) given_[gradient.result] = &gradient;
    for (InstructionId id : of) {
      if (id <= loss) wanted_[id] = true;
    }
    std::vector<bool> is_held(std::size_t(builder.size()), false);
    for (const InstructionId id : held) is_held[std::size_t(id)] = true;
    for (InstructionId id = 0; id <= loss; ++id) {
      if (!carries_slope(builder[id]) || is_held[std::size_t(id)]) continue;
      for (InstructionId operand : builder[id].operands) wanted_[id] = wanted_[id] || wanted_[operand];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (of[i] <= loss) gradients_[of[i]] = sums[i];
    }
    gradients_[loss] = builder.constant(builder.type(loss), 1);
    for (InstructionId id = loss; id >= 0; --id) {
      base::host::end_if_interrupted();
      if (gradients_[id] >= 0 && wanted_[id]) visit(id);
    }
  }

  /// -1 if the loss does not depend on it.
  InstructionId gradient(InstructionId id) const { return id < int(gradients_.size()) ? gradients_[id] : -1; }

 private:
  static bool has_slope(ElementType type) { return is_floating_point(type) || is_complex(type); }

  /// Whole numbers and predicates have no slope, and neither have steps. What else has none is refused where it is met.
  static bool carries_slope(const Instruction& instruction) {
    const ElementType type = instruction.shape.element_type;
    switch (instruction.opcode) {
      case Opcode::sign:
        return is_complex(type);
      case Opcode::floor:
      case Opcode::ceil:
      case Opcode::round_nearest_afz:
      case Opcode::round_nearest_even:
        return false;
      default:
        return instruction.shape.is_tuple() || has_slope(type);
    }
  }

  /// A rule may append what no instruction can express, such as a window beyond the limits of windows.
  void visit(InstructionId id) {
    try {
      apply_rule(id);
    } catch (const NoGradient&) {
      throw;
    } catch (const std::logic_error& error) {
      refuse(builder_[id], fmt::format("that can be expressed: {}", error.what()));
    }
  }

  void apply_rule(InstructionId id) {
    const Instruction forward = builder_[id];
    const build::GraphBuilder::Scope scope(builder_,
                                           "gradients" + (forward.op_name.empty() ? "" : "/" + forward.op_name));
    if (forward.phase != AsyncPhase::none) refuse(forward, "of an asynchronous operation");
    if (const auto found = given_.find(id); found != given_.end()) {
      const GivenGradient& given = *found->second;
      const std::vector<InstructionId> contributions = given.rule(builder_, gradients_[id]);
      for (std::size_t k = 0; k < contributions.size(); ++k) contribute(given.operands[k], contributions[k]);
    } else if (is_elementwise(forward.opcode)) {
      visit_elementwise(forward, id, gradients_[id]);
    } else {
      visit_structured(forward, id, gradients_[id]);
    }
  }

  bool wants(const Instruction& forward, std::size_t operand) const { return wanted_[forward.operands[operand]]; }

  void contribute(InstructionId to, InstructionId gradient) {
    if (!wanted_[to] || !has_slope(builder_.type(to))) return;
    const Shape &value = builder_.shape(to), &made = builder_.shape(gradient);
    if (made.dimensions != value.dimensions || is_complex(made.element_type) != is_complex(value.element_type)) {
      throw std::logic_error(fmt::format("{}: its gradient would be {}", builder_[to].name, to_string(made)));
    }
    // Compilers let operands differ in precision from the result, without a convert.
    gradient = builder_.convert(gradient, value.element_type);
    gradients_[to] = gradients_[to] < 0 ? gradient : builder_.add(gradients_[to], gradient);
  }

  [[noreturn]] static void refuse(const Instruction& forward, std::string_view why) { throw NoGradient(forward, why); }

  void visit_elementwise(const Instruction& forward, InstructionId y, InstructionId g) {
    if (std::ranges::binary_search(smooth_distances_, y)) {
      return contribute(forward.operands[0], builder_.multiply(g, builder_.sign(forward.operands[0])));
    }
    for (std::size_t k = 0; k < forward.operands.size(); ++k) {
      if (wants(forward, k)) contribute(forward.operands[k], elementwise_gradient(builder_, forward, int(k), y, g));
    }
  }

  void visit_structured(const Instruction& forward, InstructionId id, InstructionId g) {
    build::GraphBuilder& b = builder_;
    switch (forward.opcode) {
      case Opcode::parameter:
      case Opcode::tuple:
        return;
      case Opcode::get_tuple_element:
        return visit_get_tuple_element(forward, g);
      case Opcode::broadcast:
        return contribute(forward.operands[0], broadcast_gradient(forward, g));
      case Opcode::reshape:
        return contribute(forward.operands[0], b.reshape(g, b.shape(forward.operands[0]).dimensions));
      case Opcode::transpose:
        return contribute(forward.operands[0], permuted(b, g, inverse_permutation(forward.dimensions)));
      case Opcode::reverse:
        return contribute(forward.operands[0], b.reverse(g, forward.dimensions));
      case Opcode::pad:
        return visit_pad(forward, g);
      case Opcode::slice:
        return contribute(forward.operands[0], slice_gradient(forward, g));
      case Opcode::concatenate:
        return visit_concatenate(forward, g);
      case Opcode::convolution:
        if (wants(forward, 0))
          contribute(forward.operands[0], convolution_input_gradient(b, forward, typed(g, forward, 0)));
        if (wants(forward, 1)) contribute(forward.operands[1], kernel_gradient(forward, g));
        return;
      case Opcode::dot:
        if (forward.operands.size() != 2) refuse(forward, "of a sparse product");
        if (wants(forward, 0)) contribute(forward.operands[0], typed(dot_lhs_gradient(b, forward, g), forward, 0));
        if (wants(forward, 1)) contribute(forward.operands[1], typed(dot_rhs_gradient(b, forward, g), forward, 1));
        return;
      case Opcode::fft:
        return contribute(forward.operands[0], fft_gradient(b, forward, g));
      case Opcode::gather:
        return contribute(forward.operands[0], gather_gradient(b, forward, g));
      case Opcode::dynamic_slice:
        return contribute(forward.operands[0], dynamic_slice_gradient(b, forward, g));
      case Opcode::scatter:
        return visit_scatter(forward, g);
      case Opcode::dynamic_update_slice:
        for (int k = 0; k < 2; ++k) {
          if (wants(forward, k)) contribute(forward.operands[k], dynamic_update_slice_gradient(b, forward, k, g));
        }
        return;
      case Opcode::reduce:
        return visit_reduce(forward, id, g);
      case Opcode::reduce_window:
        return visit_reduce_window(forward, id, g);
      case Opcode::all_reduce:
        if (forward.operands.size() != 1) refuse(forward, "of several operands at once");
        if (combiner_of(forward) != Opcode::add) refuse(forward, "but of one that adds");
        if (forward.participants->iota || !forward.participants->groups.empty())
          refuse(forward, "over groups of devices");
        return contribute(forward.operands[0], b.all_reduce(g));
      default:
        refuse(forward, "of this operation");
    }
  }

  InstructionId typed(InstructionId g, const Instruction& forward, std::size_t operand) {
    return builder_.convert(g, builder_.type(forward.operands[operand]));
  }

  InstructionId kernel_gradient(const Instruction& forward, InstructionId g) {
    return typed(convolution_kernel_gradient(builder_, forward, g), forward, 1);
  }

  void visit_get_tuple_element(const Instruction& forward, InstructionId g) {
    const Instruction& tuple = builder_[forward.operands[0]];
    if (tuple.opcode == Opcode::tuple) return contribute(tuple.operands[forward.index], g);
    InstructionId source = forward.operands[0];
    while (builder_[source].opcode == Opcode::get_tuple_element) source = builder_[source].operands[0];
    if (builder_[source].opcode != Opcode::parameter && builder_[source].opcode != Opcode::infeed) {
      refuse(tuple, tuple.opcode == Opcode::while_loop
                        ? "of a loop that is not written out: its number of passes depends on data, or they are more "
                          "than 250,000 instructions"
                        : "of this operation");
    }
  }

  InstructionId summed(InstructionId x, std::vector<std::int64_t> dimensions) {
    return dimensions.empty() ? x : builder_.reduce_add(x, std::move(dimensions));
  }

  InstructionId broadcast_gradient(const Instruction& forward, InstructionId g) {
    const InstructionId sum = summed(g, other_dimensions(forward.shape.rank(), forward.dimensions));
    // The sum has the kept dimensions in ascending order; operand dimension i is the one numbered dimensions[i].
    Sizes place(forward.dimensions.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      place[i] = std::ranges::count_if(forward.dimensions, [&](auto d) { return d < forward.dimensions[i]; });
    }
    return permuted(builder_, sum, place);
  }

  void visit_pad(const Instruction& forward, InstructionId g) {
    const InstructionId operand = forward.operands[0];
    std::vector<PadDimension> cropping;
    std::vector<SliceDimension> picking;
    for (int i = 0; i < forward.shape.rank(); ++i) {
      const PadDimension& pad = forward.padding[i];
      cropping.push_back({-pad.low, -pad.high, 0});
      picking.push_back({0, forward.shape.dimensions[i] - pad.low - pad.high, pad.interior + 1});
    }
    const InstructionId cropped = builder_.pad(g, builder_.constant(builder_.type(g), 0), cropping);
    const bool has_interior = std::ranges::any_of(forward.padding, [](const auto& pad) { return pad.interior != 0; });
    const InstructionId inner = has_interior ? builder_.slice(cropped, picking) : cropped;
    contribute(operand, inner);
    if (!wants(forward, 1)) return;
    const auto total = [&](InstructionId x) { return summed(x, other_dimensions(builder_.shape(x).rank(), Sizes{})); };
    contribute(forward.operands[1], builder_.subtract(total(g), total(inner)));
  }

  InstructionId slice_gradient(const Instruction& forward, InstructionId g) {
    const Shape operand = builder_.shape(forward.operands[0]);
    std::vector<PadDimension> padding;
    for (int i = 0; i < operand.rank(); ++i) {
      const SliceDimension& slice = forward.slice[i];
      const std::int64_t count = forward.shape.dimensions[i];
      const std::int64_t covered = count == 0 ? 0 : (count - 1) * slice.stride + 1;
      padding.push_back({slice.start, operand.dimensions[i] - slice.start - covered, slice.stride - 1});
    }
    return builder_.pad(g, builder_.constant(builder_.type(g), 0), padding);
  }

  void visit_concatenate(const Instruction& forward, InstructionId g) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < forward.operands.size(); ++k) {
      std::vector<SliceDimension> slice;
      for (std::int64_t size : forward.shape.dimensions) slice.push_back({0, size, 1});
      SliceDimension& along = slice[forward.dimensions[0]];
      along.start = offset;
      along.limit = offset += builder_.shape(forward.operands[k]).dimensions[forward.dimensions[0]];
      if (wants(forward, k)) contribute(forward.operands[k], builder_.slice(g, slice));
    }
  }

  void visit_scatter(const Instruction& forward, InstructionId g) {
    if (forward.operands.size() != 3 || combiner_of(forward) != Opcode::add) refuse(forward, "but of one that adds");
    contribute(forward.operands[0], g);
    if (wants(forward, 2)) contribute(forward.operands[2], scatter_updates_gradient(builder_, forward, g));
  }

  /// The operation of a combiner that consists of one operation on its two parameters.
  Opcode combiner_of(const Instruction& forward) const {
    const Computation& combiner = builder_.called_computations()[forward.called[0]];
    const Instruction& root = combiner[combiner.root];
    if (combiner.instructions.size() != 3 || combiner.parameters.size() != 2) refuse(forward, "of this combiner");
    if (root.operands.size() == 2 && root.operands[0] == root.operands[1]) refuse(forward, "of this combiner");
    return root.opcode;
  }

  void visit_reduce(const Instruction& forward, InstructionId y, InstructionId g) {
    if (wants(forward, 1)) refuse(forward, "with respect to the initial value");
    const InstructionId x = forward.operands[0];
    const Sizes sizes = builder_.shape(x).dimensions;
    const Sizes kept = other_dimensions(int(sizes.size()), forward.dimensions);
    switch (combiner_of(forward)) {
      case Opcode::add:
        return contribute(x, builder_.broadcast(g, sizes, kept));
      case Opcode::maximum:
      case Opcode::minimum: {
        const InstructionId is_extreme =
            builder_.compare(x, builder_.broadcast(y, sizes, kept), ComparisonDirection::eq);
        const InstructionId count = summed(builder_.convert(is_extreme, builder_.type(x)), forward.dimensions);
        const InstructionId share = builder_.broadcast(builder_.divide(g, count), sizes, kept);
        return contribute(x, builder_.select(is_extreme, share, builder_.full_like(x, 0)));
      }
      default:
        refuse(forward, "of this combiner");
    }
  }

  void visit_reduce_window(const Instruction& forward, InstructionId y, InstructionId g) {
    if (wants(forward, 1)) refuse(forward, "with respect to the initial value");
    const InstructionId x = forward.operands[0];
    const ElementType type = builder_.type(x);
    switch (combiner_of(forward)) {
      case Opcode::add: {
        std::vector<WindowDimension> window;
        for (std::size_t i = 0; i < forward.window.size(); ++i) {
          window.push_back(transposed_window(forward.window[i], builder_.shape(x).dimensions[i]));
          window.back().window_reversal = false;  // all elements of the window have the same weight
        }
        return contribute(x, builder_.reduce_window_add(g, window));
      }
      case Opcode::maximum:
        return contribute(x, extreme_window_gradient(forward, y, g, ComparisonDirection::ge, type));
      case Opcode::minimum:
        return contribute(x, extreme_window_gradient(forward, y, g, ComparisonDirection::le, type));
      default:
        refuse(forward, "of this combiner");
    }
  }

  /// True for a constant that is no element's better: infinity, or the largest finite number, with the sign for that.
  bool is_never_extreme(InstructionId initial, ComparisonDirection direction) const {
    const Instruction* value = &builder_[initial];
    while (value->opcode == Opcode::convert || value->opcode == Opcode::copy) value = &builder_[value->operands[0]];
    if (value->opcode != Opcode::constant || !value->literal || value->literal->values.empty()) return false;
    const double number = direction == ComparisonDirection::ge ? -value->literal->values[0] : value->literal->values[0];
    const std::optional<FloatFormat> format = float_format(value->shape.element_type);
    const double largest = format ? format->largest : 0x1.fep127;  // of f32, which may have been a bf16
    return number >= largest;
  }

  /// g where an element of the window is beyond the initial value.
  InstructionId beyond_initial(const Instruction& forward, InstructionId y, InstructionId g,
                               ComparisonDirection direction) {
    const auto beyond = direction == ComparisonDirection::ge ? ComparisonDirection::gt : ComparisonDirection::lt;
    const InstructionId initial = builder_.broadcast(forward.operands[1], builder_.shape(y).dimensions);
    return builder_.select(builder_.compare(y, initial, beyond), g, builder_.full_like(g, 0));
  }

  InstructionId extreme_window_gradient(const Instruction& forward, InstructionId y, InstructionId g,
                                        ComparisonDirection direction, ElementType type) {
    for (const WindowDimension& window : forward.window) {
      if (window.base_dilation != 1 || window.window_dilation != 1) refuse(forward, "of a dilated window's extreme");
    }
    const InstructionId reached =
        is_never_extreme(forward.operands[1], direction) ? g : beyond_initial(forward, y, g, direction);
    return builder_.select_and_scatter(forward.operands[0], reached, builder_.constant(type, 0), forward.window,
                                       builder_.comparator(direction, type), builder_.combiner(Opcode::add, type));
  }

  build::GraphBuilder& builder_;
  std::vector<InstructionId> gradients_;
  std::vector<bool> wanted_;
  std::map<InstructionId, const GivenGradient*> given_;
  std::vector<InstructionId> smooth_distances_;  ///< ascending
};

}  // namespace

NoGradient::NoGradient(const Instruction& instruction, std::string_view why)
    : std::logic_error(fmt::format("{} ({}): no gradient {}", instruction.name,
                                   instruction.op_name.empty() ? to_string(instruction.opcode) : instruction.op_name,
                                   why)),
      name_(instruction.name) {}

std::vector<InstructionId> gradients(build::GraphBuilder& builder, InstructionId loss,
                                     std::span<const InstructionId> of, std::span<const InstructionId> held,
                                     std::span<const GivenGradient> given, std::span<const InstructionId> sums) {
  if (builder.shape(loss).rank() != 0 || !is_floating_point(builder.type(loss))) {
    throw std::logic_error("the loss to differentiate must be a floating-point scalar");
  }
  const ReverseSweep sweep(builder, loss, of, held, given, sums);
  std::vector<InstructionId> results;
  for (InstructionId value : of) {
    const InstructionId gradient = sweep.gradient(value);
    results.push_back(gradient >= 0 ? gradient : builder.full_like(value, 0));
  }
  return results;
}

}  // namespace podsim::sw::ir::transform
