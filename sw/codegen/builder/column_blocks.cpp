// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/column_blocks.h"

#include <algorithm>

#include "base/units.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t max_lane_tiles = 8, min_lane_tiles = 4;

/// Returns a mask that is true in lanes below a limit, which is a literal or in a register.
registers::MaskReg lanes_below(KernelBuilder& builder, registers::VectorReg lanes, registers::ScalarOperand limit) {
  if (limit.literal) return builder.compare(Op::v_lt_s32, lanes, registers::VectorOperand::bits(limit.value));
  return builder.compare(Op::v_lt_s32, lanes, builder.splat(registers::ScalarReg{limit.value}));
}

/// Returns the number of columns from the first of a block to the end of the matrix.
registers::ScalarOperand columns_left(KernelBuilder& builder, const ColumnBlocks& blocks,
                                      registers::ScalarOperand block) {
  const std::int32_t width = std::int32_t(blocks.block * register_lanes);
  if (block.literal) return std::int32_t(blocks.columns) - block.value * width;
  const registers::ScalarReg before = builder.op(Op::s_mul, registers::ScalarReg{block.value}, width);
  return builder.op(Op::s_sub, builder.constant(std::int32_t(blocks.columns)), before);
}

}  // namespace

std::int64_t ColumnBlocks::lane_tiles() const { return base::divide_round_up(columns, register_lanes); }

std::int64_t ColumnBlocks::count() const { return base::divide_round_up(lane_tiles(), block); }

std::int64_t ColumnBlocks::first_partial() const { return columns / register_lanes - (count() - 1) * block; }

ColumnBlocks column_blocks(std::int64_t columns) {
  ColumnBlocks best{columns, 1};
  best.block = std::clamp<std::int64_t>(best.lane_tiles(), 1, max_lane_tiles);
  if (best.count() <= 1) return best;
  const auto empty = [](const ColumnBlocks& blocks) { return blocks.count() * blocks.block - blocks.lane_tiles(); };
  for (std::int64_t block = max_lane_tiles - 1; block >= min_lane_tiles; --block) {
    if (const ColumnBlocks blocks{columns, block}; empty(blocks) < empty(best)) best = blocks;
  }
  return best;
}

LaneMasks lane_masks(KernelBuilder& builder, const ColumnBlocks& blocks, registers::ScalarOperand block) {
  LaneMasks masks(std::size_t(blocks.block));
  const std::int64_t first = blocks.first_partial();
  if (first >= blocks.block) return masks;
  const registers::VectorReg lanes = builder.lane_numbers();
  const registers::ScalarOperand left = columns_left(builder, blocks, block);
  for (std::int64_t i = first; i < blocks.block; ++i) {
    const std::int32_t before = std::int32_t(i * register_lanes);
    masks[std::size_t(i)] = lanes_below(builder, lanes,
                                        left.literal ? registers::ScalarOperand(left.value - before)
                                                     : builder.op(Op::s_sub, registers::ScalarReg{left.value}, before));
  }
  return masks;
}

std::vector<registers::VectorReg> load_row(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address,
                                           std::int64_t lane_tiles) {
  std::vector<registers::VectorReg> row;
  const bool packed = type == hlo::ElementType::bf16;
  const std::int64_t pairs = packed ? lane_tiles / 2 : 0;
  for (std::int64_t i = 0; i < pairs; ++i, address.offset += 8) {
    const TilePair pair = load_pair(builder, type, address);
    row.insert(row.end(), pair.begin(), pair.end());
  }
  for (std::int64_t i = 2 * pairs; i < lane_tiles; ++i, address.offset += 8) {
    row.push_back(load_tile(builder, address, packed));
  }
  return row;
}

void store_row(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address,
               const std::vector<registers::VectorReg>& row) {
  const bool packed = type == hlo::ElementType::bf16;
  const std::size_t pairs = packed ? row.size() / 2 : 0;
  for (std::size_t i = 0; i < pairs; ++i, address.offset += 8) {
    store_pair(builder, type, address, {row[2 * i], row[2 * i + 1]});
  }
  for (std::size_t i = 2 * pairs; i < row.size(); ++i, address.offset += 8) {
    store_tile(builder, address, row[i], packed);
  }
}

registers::VectorReg fold_row(KernelBuilder& builder, hw::isa::Opcode opcode, float neutral,
                              const std::vector<registers::VectorReg>& row, const LaneMasks& masks) {
  std::vector<registers::VectorReg> whole;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!masks[i]) whole.push_back(row[i]);
  }
  for (std::size_t step = 1; step < whole.size(); step *= 2) {
    for (std::size_t i = 0; i + step < whole.size(); i += 2 * step) {
      whole[i] = builder.op(opcode, whole[i], whole[i + step]);
    }
  }
  const registers::VectorReg folded = whole.empty() ? builder.unary(Op::v_mov, neutral) : whole[0];
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (masks[i]) builder.assign(folded, opcode, folded, row[i], *masks[i]);
  }
  return folded;
}

}  // namespace podsim::sw::codegen::builder
