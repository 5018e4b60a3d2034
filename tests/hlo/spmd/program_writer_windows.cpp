// SPDX-License-Identifier: Apache-2.0
#include "tests/hlo/element_types.h"
#include "tests/hlo/spmd/program_writer.h"

#include <algorithm>

namespace podsim::hlo::spmd::testing {

namespace {

using hlo::testing::f32;

}  // namespace

hlo::InstructionId ProgramWriter::grouped_convolution(Digits& digits) {
  const std::int64_t groups = 2 + digits.next(3), depth = 1 + digits.next(3);
  const bool of_batch = digits.next(2) == 0;
  const hlo::InstructionId input = of_batch ? parameter_of({groups * (1 + digits.next(3)), 5, depth})
                                            : parameter_of({1 + digits.next(4), 5, groups * depth});
  const hlo::InstructionId kernel = parameter_of({1 + digits.next(3), depth, groups * (1 + digits.next(2))});
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::convolution;
  instruction.operands = {input, kernel};
  instruction.shape.element_type = f32;
  instruction.window.resize(1);
  instruction.window[0].size = sizes(kernel)[0];
  instruction.convolution = build::convolution_dimensions("b0f_0io->b0f");
  (of_batch ? instruction.batch_groups : instruction.feature_groups) = groups;
  return clamped(b_.add(std::move(instruction)));
}

hlo::InstructionId ProgramWriter::indices(std::int64_t count, std::int64_t limit, Digits& digits) {
  hlo::Literal literal = hlo::make_zeros(hlo::make_shape(hlo::ElementType::s32, {count, 1}));
  for (double& value : literal.values) value = double(digits.next(limit + 2) - 1);
  return b_.constant(std::move(literal));
}

hlo::InstructionId ProgramWriter::gather(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  const int along = int(digits.next(rank(a)));
  hlo::GatherDimensions roles;
  roles.index_vector = 1;
  roles.index_map = {along};
  roles.collapsed = {along};
  Sizes slice = sizes(a);
  slice[std::size_t(along)] = 1;
  for (int d = 1; d < rank(a); ++d) roles.offset.push_back(d);
  return b_.gather(a, indices(1 + digits.next(6), sizes(a)[std::size_t(along)], digits), roles, slice);
}

hlo::InstructionId ProgramWriter::scatter(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  const int along = int(digits.next(rank(a)));
  hlo::GatherDimensions roles;
  roles.index_vector = 1;
  roles.index_map = {along};
  roles.collapsed = {along};
  const std::int64_t count = 1 + digits.next(6);
  Sizes updates{count};
  for (int d = 0; d < rank(a); ++d) {
    if (d == along) continue;
    roles.offset.push_back(int(updates.size()));
    updates.push_back(sizes(a)[std::size_t(d)]);
  }
  const hlo::InstructionId places = indices(count, sizes(a)[std::size_t(along)], digits);
  return clamped(b_.scatter(a, places, parameter_of(updates), roles, b_.combiner(hlo::Opcode::add, f32)));
}

hlo::InstructionId ProgramWriter::dynamic_slice(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  std::vector<hlo::InstructionId> starts;
  Sizes part;
  for (const std::int64_t size : sizes(a)) {
    starts.push_back(b_.constant(hlo::ElementType::s32, double(digits.next(size + 2) - 1)));
    part.push_back(digits.next(2) == 0 ? size : 1 + digits.next(size));
  }
  if (digits.next(2) == 0) return b_.dynamic_slice(a, starts, part);
  return b_.dynamic_update_slice(a, parameter_of(part), starts);
}

hlo::InstructionId ProgramWriter::convolution(Digits& digits) {
  const std::int64_t features = 1 + digits.next(4);
  const hlo::InstructionId input = parameter_of({1 + digits.next(4), 3 + digits.next(8), features});
  const hlo::InstructionId kernel = parameter_of({1 + digits.next(4), features, 1 + digits.next(4)});
  hlo::WindowDimension window;
  window.size = sizes(kernel)[0];
  window.stride = 1 + digits.next(2);
  window.padding_low = digits.next(3);
  window.padding_high = digits.next(3);
  window.base_dilation = 1 + digits.next(2);
  return clamped(b_.convolution(input, kernel, {window}, build::convolution_dimensions("b0f_0io->b0f")));
}

hlo::InstructionId ProgramWriter::reduce_window(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  std::vector<hlo::WindowDimension> window;
  for (const std::int64_t size : sizes(a)) {
    hlo::WindowDimension dimension;
    if (digits.next(2) == 0) {
      dimension.size = 1 + digits.next(std::min<std::int64_t>(size, 4));
      dimension.stride = 1 + digits.next(3);
      dimension.padding_low = digits.next(2);
      dimension.padding_high = digits.next(2);
    }
    window.push_back(dimension);
  }
  return clamped(digits.next(2) == 0 ? b_.reduce_window_add(a, window) : b_.reduce_window_max(a, window));
}

hlo::InstructionId ProgramWriter::sort(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::sort;
  instruction.operands = {a};
  instruction.dimensions = {digits.next(rank(a))};
  instruction.called = {b_.comparator(hlo::ComparisonDirection::lt, f32)};
  return b_.add(std::move(instruction));
}

hlo::InstructionId ProgramWriter::loop(hlo::InstructionId a, Digits& digits) {
  const hlo::Shape counter = hlo::make_shape(hlo::ElementType::s32, {});
  const hlo::Shape state = hlo::make_tuple_shape({counter, b_.shape(a)});
  build::GraphBuilder condition("condition");
  const hlo::InstructionId tested = condition.parameter(state, "state");
  const hlo::InstructionId goes_on =
      condition.compare(condition.get_tuple_element(tested, 0), condition.constant(hlo::ElementType::s32, 3),
                        hlo::ComparisonDirection::lt);
  build::GraphBuilder body("body");
  const hlo::InstructionId going = body.parameter(state, "state");
  const hlo::InstructionId i = body.get_tuple_element(going, 0), x = body.get_tuple_element(going, 1);
  std::vector<std::int64_t> all;
  for (int d = 0; d < rank(a); ++d) all.push_back(d);
  const hlo::InstructionId most = digits.next(2) == 0 ? body.reduce_max(x, all) : body.reduce_add(x, all);
  const hlo::InstructionId step = body.add(most, body.convert(i, f32));
  const hlo::InstructionId sum = body.add(x, body.broadcast(step, sizes(a)));
  const hlo::InstructionId next = body.minimum(body.maximum(sum, body.full_like(sum, -16)), body.full_like(sum, 16));
  const hlo::InstructionId result = body.tuple({body.add(i, body.constant(hlo::ElementType::s32, 1)), next});
  const hlo::InstructionId start = b_.tuple({b_.constant(hlo::ElementType::s32, 0), a});
  const hlo::ComputationId tests = b_.computation(std::move(condition), goes_on);
  const hlo::ComputationId steps = b_.computation(std::move(body), result);
  return b_.get_tuple_element(b_.while_loop(start, tests, steps, 3), 1);
}

hlo::InstructionId ProgramWriter::branch(hlo::InstructionId a, Digits& digits) {
  std::vector<hlo::ComputationId> branches;
  for (int k = 0; k < 2; ++k) {
    build::GraphBuilder body(k == 0 ? "left" : "right");
    const hlo::InstructionId x = body.parameter(b_.shape(a), "x");
    branches.push_back(b_.computation(std::move(body), k == 0 ? body.abs(x) : body.negate(x)));
  }
  if (digits.next(2) == 0) return b_.call({a}, branches[0]);
  return b_.conditional(b_.constant(hlo::ElementType::s32, double(digits.next(2))), {a, a}, branches);
}

hlo::InstructionId ProgramWriter::barrier(hlo::InstructionId a, hlo::InstructionId b) {
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::opt_barrier;
  instruction.operands = {b_.tuple({a, b})};
  return b_.get_tuple_element(b_.add(std::move(instruction)), 0);
}

}  // namespace podsim::hlo::spmd::testing
