// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/decode_loop.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace podsim::workloads::layers {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Ids = std::vector<InstructionId>;

namespace {

/// The state of the loop: its trip, the results that replace nothing of all trips, then the parameters of the step.
class DecodeLoop {
 public:
  DecodeLoop(const TrainingStep& step, std::int64_t steps)
      : step_(step), entry_(step.module.entry_computation()), steps_(steps) {
    made_ = std::int64_t(entry_[entry_.root].operands.size() - step.donations.size());
  }

  TrainingStep run() {
    GraphBuilder b("decode_loop");
    Ids begin{b.constant(ElementType::s32, 0)};
    begin.resize(std::size_t(made_) + 1);
    for (const InstructionId id : entry_.parameters) {
      const hlo::Instruction& parameter = entry_[id];
      const GraphBuilder::Scope scope(b, parameter.op_name);
      begin.push_back(b.parameter(shape_of(parameter), parameter.name));
    }
    for (std::int64_t i = 0; i < made_; ++i) begin[std::size_t(i) + 1] = b.full(made_shape(i), 0);
    const InstructionId state = b.tuple(std::move(begin));
    const hlo::Shape shape = b.shape(state);
    const hlo::ComputationId before_end = condition(b, shape);
    const hlo::ComputationId trip = body(b, shape);
    const InstructionId end = b.while_loop(state, before_end, trip, steps_);
    Ids outputs;
    for (std::int64_t i = 0; i < made_; ++i) outputs.push_back(b.get_tuple_element(end, i + 1));
    std::vector<hlo::Donation> donations;
    for (const hlo::Donation& donation : step_.donations) {
      donations.push_back({std::int64_t(outputs.size()), donation.parameter});
      outputs.push_back(b.get_tuple_element(end, first_parameter() + donation.parameter));
    }
    TrainingStep loop = step_of(std::move(b), std::move(outputs), std::move(donations), {});
    loop.frozen = step_.frozen;
    return loop;
  }

 private:
  static bool is_drawn_from(const hlo::Instruction& parameter) { return parameter.name == "uniform"; }

  /// The first parameter with the shape of the first result.
  std::int64_t tokens_number() const {
    const hlo::Shape& next = entry_[entry_[entry_.root].operands.front()].shape;
    const auto has_shape = [&](InstructionId id) {
      return entry_[id].shape.element_type == next.element_type && entry_[id].shape.dimensions == next.dimensions;
    };
    return std::ranges::find_if(entry_.parameters, has_shape) - entry_.parameters.begin();
  }

  hlo::Shape shape_of(const hlo::Instruction& parameter) const {
    if (!is_drawn_from(parameter)) return parameter.shape;
    return hlo::make_shape(parameter.shape.element_type, {steps_, parameter.shape.dimensions[0]});
  }

  /// Results that replace nothing come first.
  hlo::Shape made_shape(std::int64_t number) const {
    const hlo::Shape& of_trip = entry_[entry_[entry_.root].operands[std::size_t(number)]].shape;
    return hlo::make_shape(of_trip.element_type, {of_trip.dimensions[0], steps_});
  }

  std::int64_t first_parameter() const { return made_ + 1; }

  hlo::ComputationId condition(GraphBuilder& b, const hlo::Shape& shape) const {
    GraphBuilder before_end("decode_before_end");
    const InstructionId state = before_end.parameter(shape, "state");
    const InstructionId end = before_end.constant(ElementType::s32, double(steps_));
    const InstructionId root =
        before_end.compare(before_end.get_tuple_element(state, 0), end, hlo::ComparisonDirection::lt);
    return b.computation(std::move(before_end), root);
  }

  hlo::ComputationId body(GraphBuilder& outer, const hlo::Shape& shape) const {
    GraphBuilder b("decode_trip");
    const InstructionId state = b.parameter(shape, "state");
    const InstructionId trip = b.get_tuple_element(state, 0);
    const InstructionId zero = b.constant(ElementType::s32, 0);
    Ids values(entry_.instructions.size(), -1), next{b.add(trip, b.constant(ElementType::s32, 1))};
    next.resize(std::size_t(first_parameter()));
    for (std::size_t number = 0; number < entry_.parameters.size(); ++number) {
      const InstructionId id = entry_.parameters[number];
      const GraphBuilder::Scope scope(b, entry_[id].op_name);
      InstructionId value = b.get_tuple_element(state, std::int64_t(number) + first_parameter());
      next.push_back(value);
      if (is_drawn_from(entry_[id])) {
        const std::int64_t rows = entry_[id].shape.dimensions[0];
        value = b.reshape(b.dynamic_slice(value, {trip, zero}, {1, rows}), {rows});
      }
      values[std::size_t(id)] = value;
    }
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      if (entry_[id].opcode == hlo::Opcode::parameter || id == entry_.root) continue;
      hlo::Instruction instruction = entry_[id];
      for (InstructionId& operand : instruction.operands) operand = values[std::size_t(operand)];
      for (hlo::ComputationId& called : instruction.called) called = b.copy_computation(step_.module, called);
      values[std::size_t(id)] = b.add(std::move(instruction));
    }
    const Ids& results = entry_[entry_.root].operands;
    const InstructionId tokens = values[std::size_t(results.front())];
    for (std::int64_t i = 0; i < made_; ++i) {
      const InstructionId all = b.get_tuple_element(state, i + 1);
      next[std::size_t(i) + 1] =
          b.dynamic_update_slice(all, values[std::size_t(results[std::size_t(i)])], {zero, trip});
    }
    const auto of_parameter = [&](std::int64_t number) -> InstructionId& {
      return next[std::size_t(first_parameter() + number)];
    };
    for (std::size_t number = 0; number < entry_.parameters.size(); ++number) {
      const InstructionId id = entry_.parameters[number];
      if (std::int64_t(number) == tokens_number()) of_parameter(std::int64_t(number)) = tokens;
      if (entry_[id].name == "position") {
        of_parameter(std::int64_t(number)) = b.add(values[std::size_t(id)], b.full_like(values[std::size_t(id)], 1));
      }
    }
    for (const hlo::Donation& donation : step_.donations) {
      of_parameter(donation.parameter) = values[std::size_t(results[std::size_t(donation.output)])];
    }
    const InstructionId root = b.tuple(std::move(next));
    return outer.computation(std::move(b), root);
  }

  const TrainingStep& step_;
  const hlo::Computation& entry_;
  std::int64_t steps_;
  std::int64_t made_ = 1;  ///< results of a step that replace nothing
};

}  // namespace

TrainingStep decode_loop(const TrainingStep& step, std::int64_t steps) { return DecodeLoop(step, steps).run(); }

}  // namespace podsim::workloads::layers
