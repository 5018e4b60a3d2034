// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/compiled_tiles.h"

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::codegen::families {

namespace {

/// More tiles are not worth the time to write them.
constexpr std::int64_t max_parts = 4096;

std::int64_t tiles_of_op(const hw::TileOp& op) {
  std::int64_t tiles = 0;
  for (const hw::TileRun& run : op.runs) tiles += run.count;
  return tiles;
}

base::Bytes all_bytes(const std::vector<hw::TileTransfer>& transfers) {
  base::Bytes bytes;
  for (const hw::TileTransfer& transfer : transfers) bytes += transfer.bytes;
  return bytes;
}

PassWork pass_of(const hw::TileOp& op) {
  PassWork pass;
  for (const hw::TileRun& run : op.runs) {
    pass.read += run.count * all_bytes(run.work.reads);
    pass.written += run.count * all_bytes(run.work.writes);
    for (const hw::TilePhase& phase : run.work.phases) {
      const hw::VectorWork& work = phase.of<hw::Vector>();
      pass.vector.loads += run.count * work.loads;
      pass.vector.stores += run.count * work.stores;
      pass.vector.alu_ops += run.count * work.alu_ops;
      pass.vector.transcendentals += run.count * work.transcendentals;
    }
  }
  return pass;
}

/// The graph as the body of the only fusion of a module's entry.
hlo::Module as_one_fusion(const hlo::Module& graph) {
  hlo::Module module = graph;
  const hlo::Computation& body = graph.entry_computation();
  hlo::Computation entry;
  hlo::Instruction fusion;
  fusion.opcode = hlo::Opcode::fusion;
  fusion.shape = body[body.root].shape;
  fusion.called = {graph.entry};
  for (const hlo::InstructionId parameter : body.parameters) {
    fusion.operands.push_back(hlo::InstructionId(entry.instructions.size()));
    entry.parameters.push_back(fusion.operands.back());
    entry.instructions.push_back(body[parameter]);
  }
  entry.root = hlo::InstructionId(entry.instructions.size());
  entry.instructions.push_back(std::move(fusion));
  module.entry = hlo::ComputationId(module.computations.size());
  module.computations.push_back(std::move(entry));
  return module;
}

}  // namespace

compiler::tiles::OpWork work_of_op(const hlo::Module& graph, const TargetMachine& machine) {
  const hlo::Module module = as_one_fusion(graph);
  const hlo::Computation& entry = module.entry_computation();
  return compiler::tiles::op_work(module, entry, entry.root, machine);
}

std::int64_t compiled_parts(const PassWork& pass, const TargetMachine& machine) {
  compiler::tiles::OpWork work;
  work.output_side_bytes[hw::level::hbm] = pass.read;
  work.written_bytes[hw::level::hbm] = pass.written;
  work.epilogue = pass.vector;
  return compiler::tiles::choose_tiling(work, machine, "pass").rows;
}

std::vector<std::int64_t> part_counts(std::int64_t units) {
  std::vector<std::int64_t> counts;
  for (std::int64_t parts = 1; parts < std::min(units, max_parts); parts *= 2) counts.push_back(parts);
  if (units > 0) counts.push_back(std::min(units, max_parts));
  std::ranges::reverse(counts);
  return counts;
}

std::size_t compiled_plan(const TargetMachine& machine, std::span<const hw::TileOp> plans) {
  const std::int64_t parts = compiled_parts(pass_of(plans.back()), machine);
  for (std::size_t i = plans.size(); i-- > 0;) {
    if (plans[i].vmem <= machine.vmem && (tiles_of_op(plans[i]) >= parts || i == 0)) return i;
  }
  const auto fits = [&](const hw::TileOp& plan) { return plan.vmem <= machine.vmem; };
  const auto most_tiles = std::ranges::find_if(plans, fits);
  if (most_tiles != plans.end()) return std::size_t(most_tiles - plans.begin());
  reject_vmem(std::ranges::min_element(plans, {}, &hw::TileOp::vmem)->vmem, machine);
}

void reject_vmem(base::Bytes least, const TargetMachine& machine) {
  throw base::InputError("the kernel needs " + base::to_string(least) + " of VMEM at least; a core has " +
                         base::to_string(machine.vmem));
}

}  // namespace podsim::sw::codegen::families
