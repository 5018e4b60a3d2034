// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {

/// Returns the index of the plan that is fastest by the tile level's estimate, among those that fit VMEM. Considers
/// plans with larger transfers than 1/32 of VMEM only if there are no others. Ties go to the first plan. Each tile is
/// charged for the scalar code of the loop over tiles, for which the tile level has no unit. Throws base::InputError if
/// no plan fits.
std::size_t fastest_plan(const hw::Machine& machine, std::span<const hw::TileOp> plans);

/// Numbers of parts to try: from one part per unit (at most 4096) down to 1, each about two thirds of the previous.
std::vector<std::int64_t> part_counts(std::int64_t units);

/// Sets the kernel's program and tile_op to those of the fastest of `plans`. Without plans the kernel does nothing.
/// `code` has
///   hw::TileOp tile_op(const Plan&)
///   hw::isa::Program program(const Plan*)   for a plan, or null for a kernel that does nothing
template <class Plan, class Code>
void build_fastest(const hw::Machine& machine, Kernel& kernel, const std::vector<Plan>& plans, const Code& code) {
  kernel.tile_op.name = kernel.name;
  if (plans.empty()) {
    kernel.program = code.program(nullptr);
    return;
  }
  std::vector<hw::TileOp> ops;
  for (const Plan& plan : plans) ops.push_back(code.tile_op(plan));
  const std::size_t best = fastest_plan(machine, ops);
  kernel.program = code.program(&plans[best]);
  kernel.tile_op = std::move(ops[best]);
}

}  // namespace podsim::sw::codegen::families
