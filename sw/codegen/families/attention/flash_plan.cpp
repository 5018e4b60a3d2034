// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/flash_plan.h"

#include <algorithm>

#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/compiled_tiles.h"

namespace podsim::sw::codegen::families::attention {

namespace {

/// Transposed weights enter a unit in the time of 32 registers.
constexpr std::int64_t most_step_registers = 32, most_block_registers = 128;
constexpr std::int64_t most_block_keys = 1024;

/// Splits the queries and the keys into blocks of at most these sizes.
FlashPlan plan_of(const TargetMachine& machine, const PrefillProblem& problem, std::int64_t most_registers,
                  std::int64_t most) {
  FlashPlan plan{problem, {}, {}, int(machine.mxu.count), 1, 1};
  const std::int64_t registers = base::divide_round_up(problem.queries, std::int64_t(builder::register_rows));
  const std::int64_t in_block = base::divide_round_up(registers, base::divide_round_up(registers, most_registers));
  plan.row_steps = std::int32_t(base::divide_round_up(in_block, most_step_registers));
  plan.step_registers = std::int32_t(
      base::round_up(base::divide_round_up(in_block, std::int64_t(plan.row_steps)), std::int64_t(plan.units)));

  plan.cache.packed = problem.packed;
  plan.cache.plane_words =
      base::divide_round_up(problem.keys(), std::int64_t(builder::register_rows)) * plan.cache.tile_words();
  KeyWalk& walk = plan.walk;
  const std::int64_t unit = std::int64_t(builder::register_lanes) * plan.units;
  const std::int64_t groups = base::divide_round_up(problem.keys(), unit);
  walk.block = unit * base::divide_round_up(groups, base::divide_round_up(groups, std::max(most / unit, 1L)));
  walk.outer = std::int32_t(problem.key_heads);
  walk.middle = std::int32_t(problem.group()) * plan.query_blocks();
  walk.plane_of_outer = 1;
  walk.limits_of_middle = true;
  for (std::int64_t head = 0; head < problem.group(); ++head) {
    for (std::int32_t block = 0; block < plan.query_blocks(); ++block) {
      const std::int64_t end = std::int64_t(block + 1) * plan.block_queries();
      walk.limits.push_back(std::int32_t(problem.cached + std::min(end, problem.queries)));
    }
  }
  return plan;
}

}  // namespace

std::int64_t FlashPlan::vmem_rows() const {
  const std::int64_t block = builder::register_rows * block_registers();
  const std::int64_t queries = 2L * block_registers() * query_tile_rows();
  return queries + score_rows() + 3 * block + 2 * block + KeyStream::vmem_rows(cache, walk.block);
}

std::int32_t FlashPlan::registers_of(std::int32_t block) const {
  return std::min(block_registers(), query_registers() - block * block_registers());
}

FlashPlan flash_plan(const TargetMachine& machine, const PrefillProblem& problem) {
  std::int64_t registers = most_block_registers, keys = most_block_keys;
  while (true) {
    FlashPlan plan = plan_of(machine, problem, registers, keys);
    const base::Bytes vmem(plan.vmem_rows() * builder::vmem_row_bytes);
    if (vmem <= machine.vmem) return plan;
    const bool least_keys = keys <= std::int64_t(builder::register_lanes) * plan.units;
    if (registers == 1 && least_keys) reject_vmem(vmem, machine);
    if (!least_keys) keys /= 2;
    registers = std::max<std::int64_t>(1, registers / 2);
  }
}

}  // namespace podsim::sw::codegen::families::attention
