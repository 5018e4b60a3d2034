// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/tile_op.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::families::attention {

/// Keys and values in HBM: planes of tokens x head dimension, in tiles of 8 tokens x 128 lanes. In pages, a plane is a
/// page, and a table has the page of every `page` tokens.
struct KeyCache {
  std::uint32_t keys = 0, values = 0;  ///< HBM word addresses
  bool packed = false;                 ///< bf16, two tokens share a word
  std::int64_t plane_words = 0;
  std::int64_t page = 0;                 ///< tokens of a page, a power of two; 0: each plane is contiguous
  std::int64_t pages = 0;                ///< pages of a key head
  std::vector<std::int32_t> page_table;  ///< [outer index][number of the page in the sequence]

  std::int64_t tile_words() const { return packed ? 512 : 1024; }
};

/// The order in which blocks of keys are visited: for every outer index, for every middle index, all blocks of `block`
/// keys up to a limit. The plane is outer * plane_of_outer + middle * plane_of_middle.
struct KeyWalk {
  std::int32_t outer = 1, middle = 1;
  std::int32_t plane_of_outer = 0, plane_of_middle = 0;
  std::vector<std::int32_t> limits;  ///< visible keys, at least 1, by the outer index, or by the middle index
  bool limits_of_middle = false;
  std::int64_t block = 0;

  std::int32_t limit(std::int32_t outer_index, std::int32_t middle_index) const {
    return limits[std::size_t(limits_of_middle ? middle_index : outer_index)];
  }
  /// Calls visit(outer, middle, begin, keys) for every block in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::int32_t o = 0; o < outer; ++o) {
      for (std::int32_t m = 0; m < middle; ++m) {
        for (std::int64_t begin = 0; begin < limit(o, m); begin += block)
          visit(o, m, begin, std::min<std::int64_t>(block, limit(o, m) - begin));
      }
    }
  }
};

/// Reads blocks of keys and values into two halves of VMEM buffers, two blocks ahead, as
/// sw/codegen/builder/tile_loop.h does for affine tiles. Limits and the page table are in SMEM; pages are read by a DMA
/// each. Every DMA of a half raises its flag by one. Rows of a block beyond the limit keep what was there before.
class KeyStream {
 public:
  /// Uses the sync flags `flag` and `flag` + 1.
  KeyStream(builder::KernelBuilder& builder, const KeyCache& cache, const KeyWalk& walk, std::int32_t flag);

  /// The current block.
  struct Block {
    registers::ScalarReg keys, values;  ///< first VMEM rows
    registers::ScalarReg outer, middle;
    registers::ScalarReg begin, limit;  ///< number of the first key, number of visible keys
  };
  int keys_buffer() const { return keys_.buffer; }
  int values_buffer() const { return values_.buffer; }

  /// Starts the reads of the first two blocks.
  void start();
  /// Waits for the current block.
  Block wait();
  /// Starts the reads of the next block but one, in the current half, and advances.
  void finish();

  /// VMEM rows of both buffers.
  static std::int64_t vmem_rows(const KeyCache& cache, std::int64_t block);
  /// The DMAs of a block of `keys` keys.
  static std::vector<hw::TileTransfer> transfers(const KeyCache& cache, std::int64_t keys);

 private:
  struct Position {
    registers::ScalarReg outer, middle, begin;
  };
  Position load(std::int32_t at) const;
  void advance(std::int32_t at, const Position& position, registers::ScalarReg limit) const;
  registers::ScalarReg limit_of(const Position& position) const;
  void start_read();
  void read_plane(const Position& position, registers::ScalarReg tokens, registers::ScalarReg half,
                  registers::PredicateReg due);
  void read_pages(const Position& position, registers::ScalarReg tokens, registers::ScalarReg half,
                  registers::PredicateReg due);
  registers::ScalarReg plane(const Position& position) const;
  void add_issued(registers::ScalarReg half, registers::ScalarOperand count, registers::PredicateReg due) const;
  std::int64_t half_rows() const { return vmem_rows(cache_, walk_.block) / 4; }

  builder::KernelBuilder& b_;
  const KeyCache cache_;
  const KeyWalk walk_;
  std::int32_t flag_;
  builder::KernelBuilder::VmemBuffer keys_, values_;
  std::int32_t limits_ = 0, table_ = 0;  ///< SMEM addresses of tables
  std::int32_t current_ = 0, next_ = 0;  ///< of positions: outer, middle, begin
  std::int32_t numbers_ = 0;             ///< blocks finished, blocks started
  std::int32_t issued_ = 0;              ///< DMAs started in each half
  std::int32_t descriptors_ = 0;         ///< of keys and values, for each half
};

}  // namespace podsim::sw::codegen::families::attention
