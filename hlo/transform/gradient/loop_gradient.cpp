// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/loop_gradient.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hlo/build/counted_loop.h"
#include "hlo/transform/formulas/leaves.h"
#include "hlo/transform/formulas/stacks.h"
#include "hlo/transform/gradient/control_gradient.h"
#include "hlo/transform/gradient/reverse_sweep.h"

namespace podsim::hlo::transform::gradient {

namespace {

InstructionId whole_number(build::GraphBuilder& b, std::int64_t number) {
  return b.constant(ElementType::s32, double(number));
}

using Ids = std::vector<InstructionId>;
using build::GraphBuilder;

constexpr InstructionId absent = -1;

Ids joined_ids(const Ids& first, const Ids& second) {
  Ids all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

Ids part_of(const Ids& all, std::size_t first, std::size_t count) {
  return {all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(first + count)};
}

/// The gradients of one loop.
class LoopGradient {
 public:
  explicit LoopGradient(Backward& s)
      : s_(s), module_(module_of(s.b)), body_(module_.computations[std::size_t(s.forward.called[1])]) {
    require_repeatable(s, module_);
    if (s.forward.trip_count < 0) s.refuse("its number of passes depends on data");
    require_flat_state();
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (formulas::has_slope(shapes_[i].element_type)) sloped_.push_back(i);
    }
    find_constant_elements();
    find_kept_elements();
  }

  void give_gradients() {
    GraphBuilder& b = s_.b;
    Ids begin;
    for (std::size_t i = 0; i < shapes_.size(); ++i) begin.push_back(b.get_tuple_element(s_.x(0), std::int64_t(i)));
    Ids slopes;
    for (const std::size_t i : sloped_) slopes.push_back(s_.slope_or_zeros(i));
    const std::int64_t passes = s_.forward.trip_count;
    const auto segment = std::max<std::int64_t>(1, std::llround(std::sqrt(double(passes))));
    const std::int64_t segments = passes / segment, first = passes - segments * segment;
    const Ids constants = picked(begin, constant_);
    const Kept head = run_keeping(b, first, constants, picked(begin, kept_));
    const Ids checkpoints = checkpoints_of(segments, segment, constants, head.end);
    slopes = build::counted_loop(b, "passes", segments, joined_ids(joined_ids(constants, checkpoints), slopes),
                                 [&](GraphBuilder& c, InstructionId pass, const Ids& state) {
                                   return back_over_segment(c, pass, state, segments, segment);
                                 });
    slopes = part_of(slopes, constant_.size() + kept_.size(), sloped_.size());
    slopes = run_back(b, first, constants, head.stacks, slopes);
    for (std::size_t i = 0; i < sloped_.size(); ++i) s_.give_leaf(0, sloped_[i], slopes[i]);
  }

 private:
  /// The state of every pass, and the state after the last.
  struct Kept {
    Ids stacks, end;
  };

  void require_flat_state() {
    const Shape& state = s_.forward.shape;
    const bool is_nested = std::ranges::any_of(state.tuple_shapes, &Shape::is_tuple);
    if (!state.is_tuple() || is_nested) s_.refuse("its state is not a list of arrays");
    shapes_ = state.tuple_shapes;
    const bool is_listed = body_[body_.root].opcode == Opcode::tuple;
    const InstructionId parameter = body_.parameters[0];
    const bool is_read_by_element = std::ranges::all_of(body_.instructions, [&](const Instruction& instruction) {
      return instruction.opcode == Opcode::get_tuple_element ||
             std::ranges::find(instruction.operands, parameter) == instruction.operands.end();
    });
    if (!is_listed || !is_read_by_element) s_.refuse("its body passes its state on as a whole");
  }

  InstructionId result_of(std::size_t element) const { return body_[body_.root].operands[element]; }

  /// The element of the state that an instruction of the body reads, or the number of elements if it reads none.
  std::size_t element_read_by(InstructionId id) const {
    const Instruction& instruction = body_[id];
    const bool reads =
        instruction.opcode == Opcode::get_tuple_element && instruction.operands[0] == body_.parameters[0];
    return reads ? std::size_t(instruction.index) : shapes_.size();
  }

  void find_constant_elements() {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (element_read_by(result_of(i)) == i) constant_.push_back(i);
    }
  }

  /// Elements that change, and that the gradient of the body reads, or a pass for those that it reads.
  void find_kept_elements() {
    std::vector<bool> needed = read_by_gradient();
    for (bool grows = true; grows;) {
      std::vector<bool> used(body_.instructions.size(), false);
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        if (needed[i]) used[std::size_t(result_of(i))] = true;
      }
      grows = false;
      for (std::size_t id = used.size(); id-- > 0;) {
        if (!used[id]) continue;
        for (const InstructionId operand : body_[InstructionId(id)].operands) used[std::size_t(operand)] = true;
        const std::size_t read = element_read_by(InstructionId(id));
        if (read == shapes_.size() || needed[read]) continue;
        needed[read] = grows = true;
      }
    }
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (needed[i] && std::ranges::find(constant_, i) == constant_.end()) kept_.push_back(i);
    }
  }

  std::vector<bool> read_by_gradient() {
    GraphBuilder c("gradient_of_a_pass");
    Ids state, slopes;
    for (const Shape& shape : shapes_) state.push_back(c.parameter(shape, "element"));
    for (const std::size_t i : sloped_) slopes.push_back(c.parameter(shapes_[i], "slope"));
    const InstructionId root = c.tuple(back_over_pass(c, state, std::move(slopes)));
    const Module module = std::move(c).build(root);
    const Computation& entry = module.entry_computation();
    const auto users = users_of(entry);
    std::vector<bool> is_read;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      is_read.push_back(!users[std::size_t(entry.parameters[i])].empty());
    }
    return is_read;
  }

  static Ids picked(const Ids& all, const std::vector<std::size_t>& elements) {
    Ids some;
    for (const std::size_t i : elements) some.push_back(all[i]);
    return some;
  }

  /// The state by element: the constant ones and those that are kept; the others are absent.
  Ids whole_state(const Ids& constants, const Ids& kept) const {
    Ids state(shapes_.size(), absent);
    for (std::size_t i = 0; i < constant_.size(); ++i) state[constant_[i]] = constants[i];
    for (std::size_t i = 0; i < kept_.size(); ++i) state[kept_[i]] = kept[i];
    return state;
  }

  /// Appends the body. What depends on an absent element is absent.
  Ids body_values(GraphBuilder& c, const Ids& state) const {
    Ids values;
    for (InstructionId id = 0; id < InstructionId(body_.instructions.size()); ++id) {
      const std::size_t read = element_read_by(id);
      const Instruction& instruction = body_[id];
      if (read < shapes_.size() || id == body_.parameters[0] || id == body_.root) {
        values.push_back(read < shapes_.size() ? state[read] : absent);
        continue;
      }
      Instruction copy = instruction;
      for (InstructionId& operand : copy.operands) operand = values[std::size_t(operand)];
      const bool is_whole = std::ranges::find(copy.operands, absent) == copy.operands.end();
      if (is_whole) {
        for (ComputationId& called : copy.called) called = c.copy_computation(module_, called);
      }
      values.push_back(is_whole ? c.add(std::move(copy)) : absent);
    }
    return values;
  }

  Ids after_pass(GraphBuilder& c, const Ids& constants, const Ids& kept) const {
    const Ids values = body_values(c, whole_state(constants, kept));
    Ids next;
    for (const std::size_t i : kept_) next.push_back(values[std::size_t(result_of(i))]);
    return next;
  }

  /// The gradients of the state before a pass from those after it. An absent element gets zeros, which nothing reads.
  Ids back_over_pass(GraphBuilder& c, Ids state, Ids slopes) const {
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (state[i] != absent) continue;
      Instruction barrier;
      barrier.opcode = Opcode::opt_barrier;
      barrier.operands = {c.full(make_shape(shapes_[i].element_type, shapes_[i].dimensions), 0)};
      state[i] = c.add(std::move(barrier));
    }
    const Ids values = body_values(c, state);
    const Ids sources = picked(state, sloped_);
    ReverseSweep sweep(c, sources, c.size() - 1, {.stops_at_sources = true});
    for (std::size_t i = 0; i < sloped_.size(); ++i) {
      sweep.contribute(values[std::size_t(result_of(sloped_[i]))], 0, slopes[i]);
    }
    sweep.run();
    for (std::size_t i = 0; i < sloped_.size(); ++i) {
      const InstructionId slope = sweep.gradient(sources[i]);
      const Shape& shape = shapes_[sloped_[i]];
      slopes[i] = slope >= 0 ? slope : c.full(make_shape(shape.element_type, shape.dimensions), 0);
    }
    return slopes;
  }

  Kept run_keeping(GraphBuilder& b, std::int64_t passes, const Ids& constants, const Ids& kept) const {
    const std::size_t n = constants.size(), m = kept.size();
    const Ids stacks = formulas::empty_stacks(b, kept, std::max<std::int64_t>(passes, 1));
    const Ids end = build::counted_loop(b, "passes", passes, joined_ids(joined_ids(constants, kept), stacks),
                                        [&](GraphBuilder& c, InstructionId pass, const Ids& state) {
                                          const Ids own = part_of(state, 0, n), now = part_of(state, n, m);
                                          const Ids next = after_pass(c, own, now);
                                          const Ids filled =
                                              formulas::written_stacks(c, part_of(state, n + m, m), now, pass);
                                          return joined_ids(joined_ids(own, next), filled);
                                        });
    return {part_of(end, n + m, m), part_of(end, n, m)};
  }

  Ids checkpoints_of(std::int64_t segments, std::int64_t segment, const Ids& constants, const Ids& kept) const {
    const std::size_t n = constants.size(), m = kept.size();
    GraphBuilder& b = s_.b;
    const Ids stacks = formulas::empty_stacks(b, kept, std::max<std::int64_t>(segments, 1));
    const Ids end = build::counted_loop(
        b, "passes", segments, joined_ids(joined_ids(constants, kept), stacks),
        [&](GraphBuilder& c, InstructionId at, const Ids& state) {
          const Ids own = part_of(state, 0, n), now = part_of(state, n, m);
          const Ids filled = formulas::written_stacks(c, part_of(state, n + m, m), now, at);
          const Ids passed = build::counted_loop(c, "passes", segment, joined_ids(own, now),
                                                 [&](GraphBuilder& d, InstructionId, const Ids& inner) {
                                                   const Ids fixed = part_of(inner, 0, n);
                                                   return joined_ids(fixed, after_pass(d, fixed, part_of(inner, n, m)));
                                                 });
          return joined_ids(passed, filled);
        });
    return part_of(end, n + m, m);
  }

  Ids back_over_segment(GraphBuilder& c, InstructionId pass, const Ids& state, std::int64_t segments,
                        std::int64_t segment) const {
    const std::size_t n = constant_.size(), m = kept_.size();
    const Ids constants = part_of(state, 0, n), checkpoints = part_of(state, n, m);
    const InstructionId at = c.subtract(whole_number(c, segments - 1), pass);
    const Kept kept = run_keeping(c, segment, constants, formulas::read_stacks(c, checkpoints, at));
    const Ids slopes = run_back(c, segment, constants, kept.stacks, part_of(state, n + m, sloped_.size()));
    return joined_ids(joined_ids(constants, checkpoints), slopes);
  }

  Ids run_back(GraphBuilder& b, std::int64_t passes, const Ids& constants, const Ids& stacks, const Ids& slopes) const {
    const std::size_t n = constants.size(), m = stacks.size();
    const Ids end = build::counted_loop(b, "passes", passes, joined_ids(joined_ids(constants, stacks), slopes),
                                        [&](GraphBuilder& c, InstructionId pass, const Ids& state) {
                                          const Ids own = part_of(state, 0, n), all = part_of(state, n, m);
                                          const InstructionId at = c.subtract(whole_number(c, passes - 1), pass);
                                          const Ids now = whole_state(own, formulas::read_stacks(c, all, at));
                                          const Ids given = part_of(state, n + m, sloped_.size());
                                          return joined_ids(joined_ids(own, all), back_over_pass(c, now, given));
                                        });
    return part_of(end, n + m, sloped_.size());
  }

  Backward& s_;
  Module module_;
  const Computation& body_;
  std::vector<Shape> shapes_;                          ///< of the elements of the state
  std::vector<std::size_t> sloped_, constant_, kept_;  ///< elements with gradients, that stay, that are kept
};

}  // namespace

namespace of {

void while_loop(Backward& s) { LoopGradient(s).give_gradients(); }

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
