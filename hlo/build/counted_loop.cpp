// SPDX-License-Identifier: Apache-2.0
#include "hlo/build/counted_loop.h"

#include <utility>

namespace podsim::hlo::build {

namespace {

/// The start indices of an element: `at` along the first dimension, 0 along the others.
std::vector<InstructionId> starts(GraphBuilder& b, InstructionId x, InstructionId at) {
  std::vector<InstructionId> places(b.shape(x).dimensions.size(), b.constant(ElementType::s32, 0));
  places.front() = at;
  return places;
}

}  // namespace

LoopState counted_loop(GraphBuilder& b, const std::string& name, std::int64_t trips, const LoopState& begin,
                       const LoopBody& body) {
  if (trips == 0) return begin;
  LoopState elements{b.constant(ElementType::s32, 0)};
  elements.insert(elements.end(), begin.begin(), begin.end());
  const InstructionId first = b.tuple(elements);
  const Shape shape = b.shape(first);

  GraphBuilder condition(name + "_goes_on");
  const InstructionId at = condition.get_tuple_element(condition.parameter(shape, "state"), 0);
  const InstructionId goes_on =
      condition.compare(at, condition.constant(ElementType::s32, double(trips)), ComparisonDirection::lt);
  GraphBuilder step(name);
  const InstructionId root = [&] {
    const GraphBuilder::Scope scope(step, b.scope());
    const InstructionId now = step.parameter(shape, "state");
    const InstructionId trip = step.get_tuple_element(now, 0);
    LoopState state;
    for (std::size_t i = 1; i < elements.size(); ++i) state.push_back(step.get_tuple_element(now, std::int64_t(i)));
    LoopState next = body(step, trip, state);
    next.insert(next.begin(), step.add(trip, step.constant(ElementType::s32, 1)));
    return step.tuple(std::move(next));
  }();
  const ComputationId condition_id = b.computation(std::move(condition), goes_on);
  const ComputationId body_id = b.computation(std::move(step), root);
  const InstructionId end = b.while_loop(first, condition_id, body_id, trips);
  LoopState results;
  for (std::size_t i = 1; i < elements.size(); ++i) results.push_back(b.get_tuple_element(end, std::int64_t(i)));
  return results;
}

InstructionId element_at(GraphBuilder& b, InstructionId x, InstructionId at) {
  std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  sizes.front() = 1;
  const InstructionId row = b.dynamic_slice(x, starts(b, x, at), sizes);
  sizes.erase(sizes.begin());
  return b.reshape(row, sizes);
}

InstructionId with_element_at(GraphBuilder& b, InstructionId x, InstructionId at, InstructionId element) {
  std::vector<std::int64_t> sizes = b.shape(element).dimensions;
  sizes.insert(sizes.begin(), 1);
  return b.dynamic_update_slice(x, b.reshape(element, sizes), starts(b, x, at));
}

}  // namespace podsim::hlo::build
