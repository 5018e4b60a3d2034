// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/column_blocks.h"

#include <algorithm>

#include "base/units.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t tile_lanes = 128;
constexpr std::int64_t most_lane_tiles = 8, least_lane_tiles = 4;

/// vm true in lanes below a limit that is known, or in a register.
MaskReg lanes_below(KernelBuilder& builder, VectorReg lanes, ScalarOperand limit) {
  if (limit.literal) return builder.compare(Op::v_lt_s32, lanes, VectorOperand::bits(limit.value));
  return builder.compare(Op::v_lt_s32, lanes, builder.splat(ScalarReg{limit.value}));
}

/// Columns from the first of a block on.
ScalarOperand columns_left(KernelBuilder& builder, const ColumnBlocks& blocks, ScalarOperand block) {
  const std::int32_t width = std::int32_t(blocks.block * tile_lanes);
  if (block.literal) return std::int32_t(blocks.columns) - block.value * width;
  const ScalarReg before = builder.op(Op::s_mul, ScalarReg{block.value}, width);
  return builder.op(Op::s_sub, builder.constant(std::int32_t(blocks.columns)), before);
}

}  // namespace

std::int64_t ColumnBlocks::lane_tiles() const { return base::divide_round_up(columns, tile_lanes); }

std::int64_t ColumnBlocks::count() const { return base::divide_round_up(lane_tiles(), block); }

std::int64_t ColumnBlocks::first_partial() const { return columns / tile_lanes - (count() - 1) * block; }

ColumnBlocks column_blocks(std::int64_t columns) {
  ColumnBlocks best{columns, 1};
  best.block = std::clamp<std::int64_t>(best.lane_tiles(), 1, most_lane_tiles);
  if (best.count() <= 1) return best;
  const auto empty = [](const ColumnBlocks& blocks) { return blocks.count() * blocks.block - blocks.lane_tiles(); };
  for (std::int64_t block = most_lane_tiles - 1; block >= least_lane_tiles; --block) {
    if (const ColumnBlocks blocks{columns, block}; empty(blocks) < empty(best)) best = blocks;
  }
  return best;
}

LaneMasks lane_masks(KernelBuilder& builder, const ColumnBlocks& blocks, ScalarOperand block) {
  LaneMasks masks(std::size_t(blocks.block));
  const std::int64_t first = blocks.first_partial();
  if (first >= blocks.block) return masks;
  const VectorReg lanes = builder.lane_numbers();
  const ScalarOperand left = columns_left(builder, blocks, block);
  for (std::int64_t i = first; i < blocks.block; ++i) {
    const std::int32_t before = std::int32_t(i * tile_lanes);
    masks[std::size_t(i)] = lanes_below(
        builder, lanes,
        left.literal ? ScalarOperand(left.value - before) : builder.op(Op::s_sub, ScalarReg{left.value}, before));
  }
  return masks;
}

std::vector<VectorReg> load_row(KernelBuilder& builder, ElementType type, RowAddress address, std::int64_t lane_tiles) {
  std::vector<VectorReg> row;
  const int per_register = type == ElementType::bf16 ? 2 : 1;
  for (std::int64_t i = 0; i < lane_tiles; i += per_register, address.offset += 8) {
    const VectorReg words = builder.load(address);
    if (type != ElementType::bf16) {
      row.push_back(words);
      continue;
    }
    row.push_back(builder.unary(Op::v_unpack_lo, words));
    if (i + 1 < lane_tiles) row.push_back(builder.unary(Op::v_unpack_hi, words));
  }
  return row;
}

void store_row(KernelBuilder& builder, ElementType type, RowAddress address, const std::vector<VectorReg>& row,
               MaskReg half) {
  const std::size_t per_register = type == ElementType::bf16 ? 2 : 1;
  for (std::size_t i = 0; i < row.size(); i += per_register, address.offset += 8) {
    if (type != ElementType::bf16) {
      builder.store(address, row[i]);
    } else if (i + 1 < row.size()) {
      builder.store(address, builder.op(Op::v_pack_bf16, row[i], row[i + 1]));
    } else {
      builder.store(address, builder.op(Op::v_pack_bf16, row[i], row[i]), half);
    }
  }
}

MaskReg half_mask(KernelBuilder& builder) {
  return builder.compare(Op::v_lt_s32, builder.sublane_numbers(), VectorOperand::bits(4));
}

VectorReg fold_row(KernelBuilder& builder, hw::isa::Opcode opcode, float neutral, const std::vector<VectorReg>& row,
                   const LaneMasks& masks) {
  std::vector<VectorReg> whole;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!masks[i]) whole.push_back(row[i]);
  }
  for (std::size_t step = 1; step < whole.size(); step *= 2) {
    for (std::size_t i = 0; i + step < whole.size(); i += 2 * step) {
      whole[i] = builder.op(opcode, whole[i], whole[i + step]);
    }
  }
  const VectorReg folded = whole.empty() ? builder.unary(Op::v_mov, neutral) : whole[0];
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (masks[i]) builder.assign(folded, opcode, folded, row[i], *masks[i]);
  }
  return folded;
}

}  // namespace podsim::sw
