// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/zero_padding.h"

#include "sw/codegen/builder/odometer.h"

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

namespace {

constexpr int tiles_of_block = 16;
constexpr int rows_of_array_tile = 8;
/// Shuffle that maps both halves of the sublanes to a packed tile's four rows.
constexpr std::uint32_t packed_rows = 0x32103210;

/// Loads and stores the words of tiles unchanged, packed or not.
class TileWords {
 public:
  TileWords(KernelBuilder& builder, const PaddedTiles& tiles) : builder_(builder), tiles_(tiles) {}

  registers::VectorReg load(registers::RowAddress address, registers::MaskReg mask) const {
    return tiles_.operand.packed ? builder_.load_shuffled(address, packed_rows, mask) : builder_.load(address, mask);
  }
  void store(registers::RowAddress address, registers::VectorReg words) const {
    const auto write = [&] {
      tiles_.operand.packed ? builder_.store_shuffled(address, packed_rows, words) : builder_.store(address, words);
    };
    tiles_.wanted ? builder_.when(*tiles_.wanted, false, write) : write();
  }
  /// Writes a loop with `body`(base of the tile) for every tile.
  template <class Body>
  void for_each(const Body& body) const {
    const registers::ScalarReg base = builder_.op(hw::isa::Opcode::s_add, tiles_.operand.base, 0);
    std::vector<OdometerDimension> dimensions;
    for (const PaddedTiles::Dimension& d : tiles_.dimensions) dimensions.push_back({d.count, {d.offset}});
    const Odometer place(builder_, dimensions, {{base}});
    builder_.loop(place.trips(), {registers::LoopSchedule::pipelined, {tiles_.operand.buffer}}, [&] {
      body(base);
      place.advance();
    });
  }

 private:
  KernelBuilder& builder_;
  const PaddedTiles& tiles_;
};

/// The words of a tile that contain elements of its first `rows` rows, and the bits of those elements in the words.
struct RowWords {
  registers::MaskReg words;
  registers::VectorReg bits;
};
RowWords first_rows(KernelBuilder& builder, int rows, bool packed) {
  const registers::VectorReg sublane = builder.sublane_numbers();
  const registers::VectorReg ones = builder.unary(hw::isa::Opcode::v_mov, registers::VectorOperand::bits(-1));
  if (!packed) return {builder.compare(hw::isa::Opcode::v_lt_s32, sublane, registers::VectorOperand::bits(rows)), ones};
  // Row r of words holds row 2 r in the low halves and row 2 r + 1 in the high halves.
  const registers::VectorReg word_row = builder.op(hw::isa::Opcode::v_and, sublane, registers::VectorOperand::bits(3));
  const registers::MaskReg both =
      builder.compare(hw::isa::Opcode::v_lt_s32, word_row, registers::VectorOperand::bits(rows / 2));
  const registers::VectorReg low_half = builder.unary(hw::isa::Opcode::v_mov, registers::VectorOperand::bits(0xffff));
  return {builder.compare(hw::isa::Opcode::v_lt_s32, word_row, registers::VectorOperand::bits((rows + 1) / 2)),
          builder.op(hw::isa::Opcode::v_select, ones, low_half, both)};
}

}  // namespace

void clear_lanes(KernelBuilder& builder, const PaddedTiles& tiles, int lanes) {
  const registers::MaskReg kept =
      builder.compare(hw::isa::Opcode::v_lt_s32, builder.lane_numbers(), registers::VectorOperand::bits(lanes));
  const TileWords words(builder, tiles);
  words.for_each([&](registers::ScalarReg base) {
    const registers::RowAddress address{base, 0, tiles.operand.buffer};
    words.store(address, words.load(address, kept));
  });
}

void clear_rows_of_tiles(KernelBuilder& builder, const PaddedTiles& tiles, int rows) {
  const RowWords kept = first_rows(builder, rows, tiles.operand.packed);
  const TileWords words(builder, tiles);
  words.for_each([&](registers::ScalarReg base) {
    const registers::RowAddress address{base, 0, tiles.operand.buffer};
    words.store(address, builder.op(hw::isa::Opcode::v_and, words.load(address, kept.words), kept.bits));
  });
}

void clear_rows(KernelBuilder& builder, const PaddedTiles& blocks, std::int32_t tile_offset, int rows) {
  const int partial = rows % rows_of_array_tile;
  const RowWords kept = first_rows(builder, partial, blocks.operand.packed);
  const registers::VectorReg zero = builder.unary(hw::isa::Opcode::v_mov, 0.0F);
  const TileWords words(builder, blocks);
  words.for_each([&](registers::ScalarReg base) {
    for (int tile = rows / rows_of_array_tile; tile < tiles_of_block; ++tile) {
      const registers::RowAddress address{base, tile * tile_offset, blocks.operand.buffer};
      const bool cut = partial != 0 && tile == rows / rows_of_array_tile;
      words.store(address, cut ? builder.op(hw::isa::Opcode::v_and, words.load(address, kept.words), kept.bits) : zero);
    }
  });
}

}  // namespace podsim::sw::codegen::builder
