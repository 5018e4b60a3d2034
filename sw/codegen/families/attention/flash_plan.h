// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/tile_op.h"
#include "sw/codegen/families/attention/key_stream.h"
#include "sw/codegen/families/attention/prefill_problem.h"
#include "sw/target_machine.h"

namespace podsim::sw::codegen::families::attention {

/// Sizes of the blocks of a flash attention, in registers of 8 queries and tiles of 128 keys.
struct FlashPlan {
  PrefillProblem problem;
  KeyCache cache;
  KeyWalk walk;  ///< by key head; by query head of the group and block of queries
  int units = 1;
  std::int32_t step_registers = 1;  ///< registers of queries that stream past a tile of keys
  std::int32_t row_steps = 1;       ///< times that they do, for all queries of a block

  std::int32_t block_registers() const { return step_registers * row_steps; }
  std::int32_t block_queries() const { return 8 * block_registers(); }
  std::int32_t key_tiles() const { return std::int32_t(walk.block / 128); }
  std::int32_t query_registers() const { return std::int32_t((problem.queries + 7) / 8); }
  std::int32_t query_blocks() const { return (query_registers() + block_registers() - 1) / block_registers(); }
  std::int32_t score_rows() const { return 8 * block_registers() * key_tiles(); }
  std::int32_t query_tile_rows() const { return problem.packed ? 4 : 8; }
  std::int64_t vmem_rows() const;
  /// Registers of queries in a block.
  std::int32_t registers_of(std::int32_t block) const;
};

/// Chooses blocks: equal parts of the queries, at most 1024, and of the keys, at most 1024; smaller if they do not fit
/// VMEM. Throws base::InputError if none does.
FlashPlan flash_plan(const TargetMachine& machine, const PrefillProblem& problem);

}  // namespace podsim::sw::codegen::families::attention
