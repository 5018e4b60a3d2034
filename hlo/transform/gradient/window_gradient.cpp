// SPDX-License-Identifier: Apache-2.0
// Part of hlo/transform/gradient/reduction_gradient.h.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/float_format.h"
#include "hlo/transform/formulas/convolution_gradient.h"
#include "hlo/transform/gradient/combined.h"
#include "hlo/transform/gradient/movement_gradient.h"
#include "hlo/transform/gradient/reduction_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// True for a constant that is no element's better: infinity, or the largest finite number, with the sign for that.
bool is_never_extreme(const build::GraphBuilder& b, InstructionId initial, ComparisonDirection direction) {
  const Instruction* value = &b[initial];
  while (value->opcode == Opcode::convert || value->opcode == Opcode::copy) value = &b[value->operands[0]];
  if (value->opcode != Opcode::constant || !value->literal || value->literal->values.empty()) return false;
  const double number = direction == ComparisonDirection::ge ? -value->literal->values[0] : value->literal->values[0];
  const std::optional<FloatFormat> format = float_format(value->shape.element_type);
  const double largest = format ? format->largest : 0x1.fep127;  // of f32, which may have been a bf16
  return number >= largest;
}

/// True where an element of the window is beyond the initial value.
InstructionId beyond_initial(Backward& s, ComparisonDirection direction) {
  const auto beyond = direction == ComparisonDirection::ge ? ComparisonDirection::gt : ComparisonDirection::lt;
  const InstructionId initial = s.b.broadcast(s.x(1), s.b.shape(s.y).dimensions);
  return s.b.compare(s.y, initial, beyond);
}

bool is_dilated(const Instruction& forward) {
  return std::ranges::any_of(forward.window,
                             [](const WindowDimension& w) { return w.base_dilation != 1 || w.window_dilation != 1; });
}

void windowed_extreme(Backward& s, ComparisonDirection direction) {
  build::GraphBuilder& b = s.b;
  if (is_dilated(s.forward)) {
    return s.through(windows_by_doubling(b, s.forward, [&b, direction](const Arrays& x, const Arrays& y) {
      return Arrays{b.select(b.compare(x[0], y[0], direction), x[0], y[0])};
    }));
  }
  const ElementType type = b.type(s.x(0));
  const bool always_reached = is_never_extreme(b, s.x(1), direction);
  if (s.wants(0)) {
    const InstructionId reached =
        always_reached ? s.g() : b.select(beyond_initial(s, direction), s.g(), b.full_like(s.g(), 0));
    s.give(0, b.select_and_scatter(s.x(0), reached, b.constant(type, 0), s.forward.window,
                                   b.comparator(direction, type), b.combiner(Opcode::add, type)));
  }
  if (s.wants(1)) {
    s.give(1, total(b, b.select(beyond_initial(s, direction), b.full_like(s.g(), 0), s.g())));
  }
}

void windowed_sum(Backward& s) {
  std::vector<WindowDimension> window;
  for (std::size_t i = 0; i < s.forward.window.size(); ++i) {
    window.push_back(formulas::transposed_window(s.forward.window[i], s.b.shape(s.x(0)).dimensions[i]));
    window.back().window_reversal = false;  // all elements of the window have the same weight
  }
  if (s.wants(0)) s.give(0, s.b.reduce_window_add(s.g(), window));
  if (s.wants(1)) s.give(1, total(s.b, s.g()));
}

/// The direction of a comparator of its two parameters, if it keeps the better one.
std::optional<ComparisonDirection> selecting_direction(const Backward& s) {
  const Computation& select = s.b.called_computations()[std::size_t(s.forward.called[0])];
  const Instruction& root = select[select.root];
  if (root.opcode != Opcode::compare || root.operands != select.parameters) return std::nullopt;
  if (root.comparison == ComparisonDirection::eq || root.comparison == ComparisonDirection::ne) return std::nullopt;
  return root.comparison;
}

/// (x, g), (x', g') -> the pair that the comparison of x with x' keeps.
ComputationId pair_chooser(build::GraphBuilder& b, ComparisonDirection direction, ElementType type) {
  build::GraphBuilder chooser(fmt::format("choose_{}_{}", int(direction), to_string(type)));
  Arrays p;
  for (const char* name : {"x", "g", "other_x", "other_g"}) p.push_back(chooser.parameter(make_shape(type, {}), name));
  const InstructionId keeps = chooser.compare(p[0], p[2], direction);
  const InstructionId pair = chooser.tuple({chooser.select(keeps, p[0], p[2]), chooser.select(keeps, p[1], p[3])});
  return b.computation(std::move(chooser), pair);
}

/// The elements of `g`, one for each window, at the positions of the elements that are selected.
InstructionId selected_elements(Backward& s, ComparisonDirection direction) {
  build::GraphBuilder& b = s.b;
  const ElementType type = b.type(s.x(0));
  const bool is_largest = direction == ComparisonDirection::ge || direction == ComparisonDirection::gt;
  const double worst = build::lowest_value(type);
  Instruction windows;
  windows.opcode = Opcode::reduce_window;
  windows.window = s.forward.window;
  windows.operands = {s.x(0), b.convert(s.g(), type), b.constant(type, is_largest ? worst : -worst),
                      b.constant(type, 0)};
  windows.called = {pair_chooser(b, direction, type)};
  return b.get_tuple_element(b.add(std::move(windows)), 1);
}

}  // namespace

namespace of {

void reduce_window(Backward& s) {
  const Opcode combiner = s.forward.operands.size() == 2 ? s.combiner() : Opcode::unknown;
  if (combiner == Opcode::add) return windowed_sum(s);
  if (combiner == Opcode::maximum) return windowed_extreme(s, ComparisonDirection::ge);
  if (combiner == Opcode::minimum) return windowed_extreme(s, ComparisonDirection::le);
  s.through(windows_by_doubling(s.b, s.forward, combiner_on_arrays(s)));
}

void select_and_scatter(Backward& s) {
  if (s.combiner(1) != Opcode::add) s.refuse("it combines what it scatters by another operation than addition");
  if (s.wants(1)) {
    const std::optional<ComparisonDirection> direction = selecting_direction(s);
    if (!direction) s.refuse("it selects by another rule than the order of two elements");
    s.give(1, selected_elements(s, *direction));
  }
  if (s.wants(2)) s.give(2, total(s.b, s.g()));
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
