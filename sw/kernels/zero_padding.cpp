// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/zero_padding.h"

#include "sw/kernels/odometer.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

constexpr int tiles_of_block = 16;
constexpr int rows_of_array_tile = 8;
/// A packed tile's four rows, twice.
constexpr std::uint32_t packed_rows = 0x32103210;

/// Loads and stores of the tiles' words as they are, packed or not.
class TileWords {
 public:
  TileWords(KernelBuilder& builder, const PaddedTiles& tiles) : builder_(builder), tiles_(tiles) {}

  VectorReg load(RowAddress address, MaskReg mask) const {
    return tiles_.operand.packed ? builder_.load_shuffled(address, packed_rows, mask) : builder_.load(address, mask);
  }
  void store(RowAddress address, VectorReg words) const {
    const auto write = [&] {
      tiles_.operand.packed ? builder_.store_shuffled(address, packed_rows, words) : builder_.store(address, words);
    };
    tiles_.wanted ? builder_.when(*tiles_.wanted, false, write) : write();
  }
  /// Writes `body`(base of the tile) for every tile.
  template <class Body>
  void for_each(const Body& body) const {
    const ScalarReg base = builder_.op(Opcode::s_add, tiles_.operand.base, 0);
    std::vector<OdometerDimension> dimensions;
    for (const PaddedTiles::Dimension& d : tiles_.dimensions) dimensions.push_back({d.count, {d.offset}});
    const Odometer place(builder_, dimensions, {{base}});
    builder_.loop(place.trips(), {LoopSchedule::pipelined, {tiles_.operand.buffer}}, [&] {
      body(base);
      place.advance();
    });
  }

 private:
  KernelBuilder& builder_;
  const PaddedTiles& tiles_;
};

/// The words of a tile that hold one of its first `rows` rows, and the bits of those words that do.
struct RowWords {
  MaskReg words;
  VectorReg bits;
};
RowWords first_rows(KernelBuilder& builder, int rows, bool packed) {
  const VectorReg sublane = builder.sublane_numbers();
  const VectorReg ones = builder.unary(Opcode::v_mov, VectorOperand::bits(-1));
  if (!packed) return {builder.compare(Opcode::v_lt_s32, sublane, VectorOperand::bits(rows)), ones};
  // Row r of words holds rows 2 r, in the low half, and 2 r + 1.
  const VectorReg word_row = builder.op(Opcode::v_and, sublane, VectorOperand::bits(3));
  const MaskReg both = builder.compare(Opcode::v_lt_s32, word_row, VectorOperand::bits(rows / 2));
  const VectorReg low_half = builder.unary(Opcode::v_mov, VectorOperand::bits(0xffff));
  return {builder.compare(Opcode::v_lt_s32, word_row, VectorOperand::bits((rows + 1) / 2)),
          builder.op(Opcode::v_select, ones, low_half, both)};
}

}  // namespace

void clear_lanes(KernelBuilder& builder, const PaddedTiles& tiles, int lanes) {
  const MaskReg kept = builder.compare(Opcode::v_lt_s32, builder.lane_numbers(), VectorOperand::bits(lanes));
  const TileWords words(builder, tiles);
  words.for_each([&](ScalarReg base) {
    const RowAddress address{base, 0, tiles.operand.buffer};
    words.store(address, words.load(address, kept));
  });
}

void clear_rows_of_tiles(KernelBuilder& builder, const PaddedTiles& tiles, int rows) {
  const RowWords kept = first_rows(builder, rows, tiles.operand.packed);
  const TileWords words(builder, tiles);
  words.for_each([&](ScalarReg base) {
    const RowAddress address{base, 0, tiles.operand.buffer};
    words.store(address, builder.op(Opcode::v_and, words.load(address, kept.words), kept.bits));
  });
}

void clear_rows(KernelBuilder& builder, const PaddedTiles& blocks, std::int32_t tile_offset, int rows) {
  const int partial = rows % rows_of_array_tile;
  const RowWords kept = first_rows(builder, partial, blocks.operand.packed);
  const VectorReg zero = builder.unary(Opcode::v_mov, 0.0F);
  const TileWords words(builder, blocks);
  words.for_each([&](ScalarReg base) {
    for (int tile = rows / rows_of_array_tile; tile < tiles_of_block; ++tile) {
      const RowAddress address{base, tile * tile_offset, blocks.operand.buffer};
      const bool cut = partial != 0 && tile == rows / rows_of_array_tile;
      words.store(address, cut ? builder.op(Opcode::v_and, words.load(address, kept.words), kept.bits) : zero);
    }
  });
}

}  // namespace podsim::sw
