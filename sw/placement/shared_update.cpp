// SPDX-License-Identifier: Apache-2.0
#include "sw/placement/shared_update.h"

#include <utility>

#include "hlo/spmd/mesh/mesh.h"
#include "sw/compiler/program.h"
#include "sw/placement/placement_search.h"

namespace podsim::sw::placement {
namespace {

using collectives::CollectiveKind;
using CoreGroups = std::vector<std::vector<std::int32_t>>;

/// A program with one collective.
void add_collective(compiler::Program& program, CollectiveKind kind, base::Bytes bytes, CoreGroups groups) {
  if (groups.front().size() == 1) return;
  compiler::CollectiveOp op;
  op.kind = kind;
  op.bytes = bytes;
  op.arrays = 1;
  op.groups = std::move(groups);
  compiler::ProgramItem item;
  item.kind = compiler::ProgramItem::Kind::collective;
  item.index = int(program.collectives.size());
  program.collectives.push_back(std::move(op));
  program.items.push_back(std::move(item));
}

}  // namespace

base::Duration shared_update_time(const TargetMachine& machine, const noc::Topology& slice, const WholeUpdate& whole,
                                  std::int64_t shared_by) {
  const std::int64_t cores = slice.nodes() * machine.cores_per_chip, replicas = cores / shared_by;
  const hlo::spmd::mesh::Mesh mesh({{"replicas", replicas}, {"shared", shared_by}});
  CoreGroups within, between;
  between.resize(std::size_t(shared_by));
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    std::vector<std::int32_t>& group = within.emplace_back();
    for (std::int64_t position = 0; position < shared_by; ++position) {
      const auto partition = std::int32_t(replica * shared_by + position);
      group.push_back(partition);
      between[std::size_t(position)].push_back(partition);
    }
  }
  compiler::Program program;
  add_collective(program, CollectiveKind::reduce_scatter, whole.gradients, within);
  add_collective(program, CollectiveKind::all_reduce, whole.gradients / shared_by, std::move(between));
  add_collective(program, CollectiveKind::all_gather, whole.gradients, std::move(within));
  return least_collective_time(machine, mesh, slice, program) +
         base::Duration(base::to_duration(whole.time).si() / double(shared_by));
}

std::vector<std::int64_t> divisors_above_one(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t divisor = 2; divisor <= number; ++divisor) {
    if (number % divisor == 0) divisors.push_back(divisor);
  }
  return divisors;
}

}  // namespace podsim::sw::placement
