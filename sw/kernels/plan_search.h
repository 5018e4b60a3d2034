// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Number of the plan that is fastest by the tile level's estimate, of those that fit VMEM, with transfers of a
/// thirty-second of it at most or else of any size; of equals the first. Each tile is charged the scalar code of the
/// loop over tiles, which no unit of the tile level stands for. base::InputError if none fits.
std::size_t fastest_plan(const hw::Machine& machine, std::span<const hw::TileOp> plans);

/// Numbers of parts to cut something into: from as many as it has units, each about two thirds of the one before, to 1.
std::vector<std::int64_t> part_counts(std::int64_t units);

/// The kernel's program and tile_op by the fastest of `plans`; without plans it has nothing to do. `code` has
///   hw::TileOp tile_op(const Plan&)
///   hw::isa::Program program(const Plan*)   of a plan, or of nothing to do
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

}  // namespace podsim::sw
