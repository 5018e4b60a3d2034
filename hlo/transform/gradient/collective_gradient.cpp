// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/collective_gradient.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/permuted_slices.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// A collective among the devices of the forward one, on the gradient of one of its results.
Instruction counterpart(Backward& s, Opcode opcode, std::vector<InstructionId> operands) {
  Instruction made;
  made.opcode = opcode;
  made.operands = std::move(operands);
  made.dimensions = s.forward.dimensions;
  made.participants = s.forward.participants;
  return made;
}

void require_sum(const Backward& s) {
  if (s.combiner() != Opcode::add) s.refuse("its combiner is not addition");
}

}  // namespace

namespace of {

void all_reduce(Backward& s) {
  require_sum(s);
  const Participants& devices = s.forward.participants;
  const bool is_of_all = !devices.iota && devices.groups.empty() && !devices.channel_id;
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    if (s.slopes[k] < 0 || !s.wants(k)) continue;
    if (is_of_all) {
      s.give(k, s.b.all_reduce(s.slopes[k]));
      continue;
    }
    Instruction sum = counterpart(s, Opcode::all_reduce, {s.slopes[k]});
    sum.called = {s.b.combiner(Opcode::add, s.b.type(s.slopes[k]))};
    s.give(k, s.b.add(std::move(sum)));
  }
}

void all_gather(Backward& s) {
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    if (s.slopes[k] < 0 || !s.wants(k)) continue;
    Instruction scattered = counterpart(s, Opcode::reduce_scatter, {s.slopes[k]});
    scattered.called = {s.b.combiner(Opcode::add, s.b.type(s.slopes[k]))};
    scattered.shape = make_shape(s.b.type(s.slopes[k]), s.b.shape(s.x(k)).dimensions);
    s.give(k, s.b.add(std::move(scattered)));
  }
}

void reduce_scatter(Backward& s) {
  require_sum(s);
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    if (s.slopes[k] < 0 || !s.wants(k)) continue;
    Instruction gathered = counterpart(s, Opcode::all_gather, {s.slopes[k]});
    gathered.shape = make_shape(s.b.type(s.slopes[k]), s.b.shape(s.x(k)).dimensions);
    s.give(k, s.b.add(std::move(gathered)));
  }
}

void all_to_all(Backward& s) {
  const std::size_t count = s.forward.operands.size();
  std::vector<InstructionId> parts;
  for (std::size_t k = 0; k < count; ++k) parts.push_back(s.slope_or_zeros(k));
  Instruction back = counterpart(s, Opcode::all_to_all, std::move(parts));
  back.shape = s.forward.shape;
  const InstructionId returned = s.b.add(std::move(back));
  if (!s.b.shape(returned).is_tuple()) return s.give(0, returned);
  for (std::size_t k = 0; k < count; ++k) {
    if (s.wants(k)) s.give(k, s.b.get_tuple_element(returned, std::int64_t(k)));
  }
}

void collective_permute(Backward& s) {
  if (is_in_place(s.forward)) s.refuse("it writes into an array of the receiver");
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    if (s.slopes[k] < 0 || !s.wants(k)) continue;
    Instruction back = counterpart(s, Opcode::collective_permute, {s.slopes[k]});
    for (auto& [source, target] : back.participants.edit().source_target_pairs) std::swap(source, target);
    s.give(k, s.b.add(std::move(back)));
  }
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
