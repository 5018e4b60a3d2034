// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/codegen/families/kernel.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/target_machine.h"

/// Tiles of kernels: those that the compiler gives to the same op in a run (sw/compiler/tiles/tile_search.h), so that a
/// kernel and an op of a program on the same shapes move the same bytes in the same pieces.
namespace podsim::sw::codegen::families {

/// The work of a graph as one op of a program.
compiler::tiles::OpWork work_of_op(const hlo::Module& graph, const TargetMachine& machine);

/// A pass over memory: bytes that it reads and writes, and its vector work.
struct PassWork {
  base::Bytes read, written;
  hw::VectorWork vector;
};
/// The number of tiles into which the compiler divides a pass.
std::int64_t compiled_parts(const PassWork& pass, const TargetMachine& machine);

/// Numbers of parts to choose from, largest first: all units (at most 4096), and the powers of two below.
std::vector<std::int64_t> part_counts(std::int64_t units);

/// Returns the index of the plan with as many tiles as the compiler gives to a pass with the bytes and the work of the
/// last of `plans`, which are in descending order of their tiles; with the next more if there is no such plan, or if it
/// does not fit VMEM. Throws base::InputError if no plan fits. Requires a plan.
std::size_t compiled_plan(const TargetMachine& machine, std::span<const hw::TileOp> plans);

/// Throws base::InputError: a kernel needs `least` of VMEM.
[[noreturn]] void reject_vmem(base::Bytes least, const TargetMachine& machine);

/// Sets the kernel's program and tile_op to those of compiled_plan(). Without plans the kernel does nothing. `code` has
///   hw::TileOp tile_op(const Plan&)
///   hw::isa::Program program(const Plan*)   for a plan, or null for a kernel that does nothing
template <class Plan, class Code>
void build_compiled(const TargetMachine& machine, Kernel& kernel, const std::vector<Plan>& plans, const Code& code) {
  kernel.tile_op.name = kernel.name;
  if (plans.empty()) {
    kernel.program = code.program(nullptr);
    return;
  }
  std::vector<hw::TileOp> ops;
  for (const Plan& plan : plans) ops.push_back(code.tile_op(plan));
  const std::size_t best = compiled_plan(machine, ops);
  kernel.program = code.program(&plans[best]);
  kernel.tile_op = std::move(ops[best]);
}

}  // namespace podsim::sw::codegen::families
