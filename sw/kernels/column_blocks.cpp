// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/column_blocks.h"

#include <algorithm>

#include "base/units.h"
#include "sw/kernels/packed_tile.h"

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
  const bool packed = type == ElementType::bf16;
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

void store_row(KernelBuilder& builder, ElementType type, RowAddress address, const std::vector<VectorReg>& row) {
  const bool packed = type == ElementType::bf16;
  const std::size_t pairs = packed ? row.size() / 2 : 0;
  for (std::size_t i = 0; i < pairs; ++i, address.offset += 8) {
    store_pair(builder, type, address, {row[2 * i], row[2 * i + 1]});
  }
  for (std::size_t i = 2 * pairs; i < row.size(); ++i, address.offset += 8) {
    store_tile(builder, address, row[i], packed);
  }
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
