// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/manual_region_gradient.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim::hlo::transform::gradient {

namespace {

constexpr std::string_view to_shards = "SPMDFullToShardShape";
constexpr std::string_view to_whole = "SPMDShardToFullShape";

Sharding manual() {
  Sharding sharding;
  sharding.kind = Sharding::Kind::manual;
  return sharding;
}

InstructionId annotation(build::GraphBuilder& b, InstructionId x, std::string_view target, const Shape& shape,
                         const Sharding& sharding) {
  Instruction call;
  call.opcode = Opcode::custom_call;
  call.target = target;
  call.operands = {x};
  call.shape = shape;
  call.sharding = std::make_shared<const Sharding>(sharding);
  return b.add(std::move(call));
}

/// A value that is one for all devices, as each device's part.
InstructionId parts_of(build::GraphBuilder& b, InstructionId whole, const Shape& part, const Sharding& sharding) {
  const InstructionId annotated = annotation(b, whole, "Sharding", b.shape(whole), sharding);
  return annotation(b, annotated, to_shards, part, manual());
}

InstructionId whole_of_parts(build::GraphBuilder& b, InstructionId part, const Shape& whole, const Sharding& sharding) {
  const InstructionId annotated = annotation(b, part, "Sharding", b.shape(part), manual());
  return annotation(b, annotated, to_whole, whole, sharding);
}

/// The devices that hold the same part, by part. Empty if all hold the whole.
std::vector<std::vector<std::int64_t>> holders(const Backward& s, const Sharding& sharding) {
  if (sharding.kind == Sharding::Kind::replicated) return {};
  const bool is_manual = std::ranges::count(sharding.subgroups, Sharding::Subgroup::manual) > 0;
  if (sharding.kind != Sharding::Kind::tiled || is_manual) s.refuse("only some axes of the mesh are manual in it");
  std::int64_t parts = 1;
  for (int i = 0; i < sharding.rank(); ++i) parts *= sharding.tiles[std::size_t(i)];
  const std::vector<std::int64_t> devices = sharding.device_list();
  const std::size_t each = devices.size() / std::size_t(parts);
  std::vector<std::vector<std::int64_t>> groups;
  for (std::size_t at = 0; at < devices.size(); at += each) {
    groups.emplace_back(devices.begin() + std::ptrdiff_t(at), devices.begin() + std::ptrdiff_t(at + each));
  }
  return groups;
}

InstructionId sum_over(build::GraphBuilder& b, InstructionId x, const std::vector<std::vector<std::int64_t>>& groups) {
  Instruction sum;
  sum.opcode = Opcode::all_reduce;
  sum.operands = {x};
  sum.called = {b.combiner(Opcode::add, b.type(x))};
  sum.participants.edit().groups = groups;
  sum.participants.edit().channel_id = 1;
  sum.participants.edit().use_global_device_ids = !groups.empty();
  return b.add(std::move(sum));
}

InstructionId shared(build::GraphBuilder& b, InstructionId x, const std::vector<std::vector<std::int64_t>>& groups) {
  if (groups.empty()) {  // how many devices there are is not part of the graph
    const InstructionId count = sum_over(b, b.constant(b.type(x), 1), groups);
    return b.divide(x, b.broadcast(count, b.shape(x).dimensions));
  }
  const std::size_t count = groups[0].size();
  return count == 1 ? x : b.divide(x, b.full_like(x, double(count)));
}

}  // namespace

bool bounds_manual_region(const Instruction& instruction) {
  return instruction.opcode == Opcode::custom_call &&
         (instruction.target == to_shards || instruction.target == to_whole);
}

void manual_region_gradient(Backward& s) {
  build::GraphBuilder& b = s.b;
  const bool enters = s.forward.target == to_shards;
  const std::shared_ptr<const Sharding> given = enters ? b[s.x(0)].sharding : s.forward.sharding;
  if (!given) s.refuse("no sharding says which part each device has");
  const Sharding sharding = *given;
  const std::vector<std::vector<std::int64_t>> groups = holders(s, sharding);
  const Shape operand = b.shape(s.x(0));
  if (!enters) return s.give(0, shared(b, parts_of(b, s.g(), operand, sharding), groups));
  const bool is_shared = groups.empty() || groups[0].size() > 1;
  const InstructionId sum = is_shared ? sum_over(b, s.g(), groups) : s.g();
  s.give(0, whole_of_parts(b, sum, operand, sharding));
}

}  // namespace podsim::hlo::transform::gradient
