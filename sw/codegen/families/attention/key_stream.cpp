// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/key_stream.h"

#include <bit>

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::attention {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int32_t source_of = 1, destination_of = 2, words_of = 3;  // words of a descriptor
constexpr std::int32_t tokens_log = std::countr_zero(unsigned(builder::register_rows));

std::int32_t log_of(std::int64_t power_of_two) { return std::int32_t(std::countr_zero(std::uint64_t(power_of_two))); }

std::int64_t page_words(const KeyCache& cache) { return cache.page / builder::register_rows * cache.tile_words(); }

hw::isa::DmaDescriptor descriptor_of(std::int32_t flag, std::uint32_t source, std::int64_t vmem_row,
                                     std::int64_t words) {
  hw::isa::DmaDescriptor descriptor;
  descriptor.route = hw::isa::DmaRoute::hbm_to_vmem;
  descriptor.flag = std::uint32_t(flag);
  descriptor.source = source;
  descriptor.destination = std::uint32_t(vmem_row * builder::row_words);
  descriptor.words = std::uint32_t(words);
  return descriptor;
}

}  // namespace

KeyStream::KeyStream(builder::KernelBuilder& builder, const KeyCache& cache, const KeyWalk& walk, std::int32_t flag)
    : b_(builder),
      cache_(cache),
      walk_(walk),
      flag_(flag),
      keys_(builder.vmem_rows(2 * half_rows())),
      values_(builder.vmem_rows(2 * half_rows())),
      limits_(builder.smem_data(walk.limits, "visible keys")),
      table_(cache.page > 0 ? builder.smem_data(cache.page_table, "block table") : 0),
      current_(builder.smem_words(3)),
      next_(builder.smem_words(3)),
      numbers_(builder.smem_words(2)),
      issued_(builder.smem_words(2)) {
  const std::int64_t words = cache.page > 0 ? page_words(cache) : cache.tile_words();
  for (std::int32_t half = 0; half < 2; ++half) {
    const std::int64_t row = half * half_rows();
    const std::int32_t keys =
        builder.descriptor(descriptor_of(flag + half, cache.keys, keys_.row + row, words), "keys");
    builder.descriptor(descriptor_of(flag + half, cache.values, values_.row + row, words), "values");
    if (half == 0) descriptors_ = keys;
  }
}

std::int64_t KeyStream::vmem_rows(const KeyCache& cache, std::int64_t block) {
  return 4 * block / builder::register_rows * cache.tile_words() / builder::row_words;
}

std::vector<hw::TileTransfer> KeyStream::transfers(const KeyCache& cache, std::int64_t keys) {
  const std::int64_t piece = cache.page > 0 ? cache.page : base::round_up(keys, std::int64_t(builder::register_rows));
  const base::Bytes bytes(piece / builder::register_rows * cache.tile_words() * 4);
  return std::vector<hw::TileTransfer>(std::size_t(2 * base::divide_round_up(keys, piece)), {bytes});
}

void KeyStream::start() {
  b_.mark("load");
  start_read();
  start_read();
}

KeyStream::Block KeyStream::wait() {
  b_.mark("load");
  const Position position = load(current_);
  const registers::ScalarReg half = b_.op(Op::s_and, b_.load_smem({}, numbers_), 1);
  b_.sync_wait(b_.op(Op::s_add, half, flag_), b_.load_smem(half, issued_));
  const registers::ScalarReg rows = b_.op(Op::s_mul, half, std::int32_t(half_rows()));
  return {b_.op(Op::s_add, rows, keys_.row),
          b_.op(Op::s_add, rows, values_.row),
          position.outer,
          position.middle,
          position.begin,
          limit_of(position)};
}

void KeyStream::finish() {
  b_.mark("store");
  const Position position = load(current_);
  advance(current_, position, limit_of(position));
  b_.store_smem({}, numbers_, b_.op(Op::s_add, b_.load_smem({}, numbers_), 1));
  start_read();
}

KeyStream::Position KeyStream::load(std::int32_t at) const {
  return {b_.load_smem({}, at), b_.load_smem({}, at + 1), b_.load_smem({}, at + 2)};
}

void KeyStream::advance(std::int32_t at, const Position& position, registers::ScalarReg limit) const {
  const registers::ScalarReg begin = b_.op(Op::s_add, position.begin, std::int32_t(walk_.block));
  const registers::ScalarReg middle = b_.op(Op::s_add, position.middle, 0);
  const registers::ScalarReg outer = b_.op(Op::s_add, position.outer, 0);
  const registers::PredicateReg last_block = b_.compare(Op::s_le, limit, begin);
  b_.when(last_block, false, [&] {
    b_.set(begin, 0);
    b_.assign(middle, Op::s_add, middle, 1);
  });
  const registers::PredicateReg last_middle = b_.compare(Op::s_eq, middle, walk_.middle);
  b_.when(last_middle, false, [&] {
    b_.set(middle, 0);
    b_.assign(outer, Op::s_add, outer, 1);
  });
  b_.store_smem({}, at, outer);
  b_.store_smem({}, at + 1, middle);
  b_.store_smem({}, at + 2, begin);
}

registers::ScalarReg KeyStream::limit_of(const Position& position) const {
  return b_.load_smem(walk_.limits_of_middle ? position.middle : position.outer, limits_);
}

registers::ScalarReg KeyStream::plane(const Position& position) const {
  return b_.op(Op::s_add, b_.op(Op::s_mul, position.outer, walk_.plane_of_outer),
               b_.op(Op::s_mul, position.middle, walk_.plane_of_middle));
}

/// Starts the reads of the next unread block. After the last one it computes those of the last outer index, and starts
/// none.
void KeyStream::start_read() {
  Position position = load(next_);
  const registers::PredicateReg due = b_.compare(Op::s_lt, position.outer, walk_.outer);
  const registers::ScalarReg outer = position.outer;
  position.outer = b_.op(Op::s_min, position.outer, walk_.outer - 1);
  const registers::ScalarReg limit = limit_of(position);
  const registers::ScalarReg tokens =
      b_.op(Op::s_min, b_.op(Op::s_sub, limit, position.begin), std::int32_t(walk_.block));
  const registers::ScalarReg number = b_.load_smem({}, numbers_ + 1);
  const registers::ScalarReg half = b_.op(Op::s_and, number, 1);
  cache_.page > 0 ? read_pages(position, tokens, half, due) : read_plane(position, tokens, half, due);
  b_.store_smem({}, numbers_ + 1, b_.op(Op::s_add, number, 1));
  position.outer = outer;
  advance(next_, position, limit);
}

void KeyStream::read_plane(const Position& position, registers::ScalarReg tokens, registers::ScalarReg half,
                           registers::PredicateReg due) {
  const auto tile_words = std::int32_t(cache_.tile_words());
  const registers::ScalarReg tiles = b_.op(Op::s_shr, b_.op(Op::s_add, tokens, builder::register_rows - 1), tokens_log);
  const registers::ScalarReg words = b_.op(Op::s_mul, tiles, tile_words);
  const registers::ScalarReg before =
      b_.op(Op::s_add, b_.op(Op::s_mul, plane(position), std::int32_t(cache_.plane_words)),
            b_.op(Op::s_mul, b_.op(Op::s_shr, position.begin, tokens_log), tile_words));
  const registers::ScalarReg keys =
      b_.op(Op::s_add, b_.op(Op::s_mul, half, 2 * hw::isa::descriptor_words), descriptors_);
  const registers::ScalarReg values = b_.op(Op::s_add, keys, hw::isa::descriptor_words);
  const registers::ScalarReg from_keys = b_.op(Op::s_add, before, std::int32_t(cache_.keys));
  const registers::ScalarReg from_values = b_.op(Op::s_add, before, std::int32_t(cache_.values));
  b_.when(due, false, [&] {
    b_.store_smem(keys, source_of, from_keys);
    b_.store_smem(keys, words_of, words);
    b_.store_smem(values, source_of, from_values);
    b_.store_smem(values, words_of, words);
    b_.dma(keys);
    b_.dma(values);
  });
  add_issued(half, 2, due);
}

void KeyStream::read_pages(const Position& position, registers::ScalarReg tokens, registers::ScalarReg half,
                           registers::PredicateReg due) {
  const std::int32_t page_log = log_of(cache_.page);
  const std::int64_t per_sequence = std::int64_t(cache_.page_table.size()) / walk_.outer;
  const registers::ScalarReg pages =
      b_.op(Op::s_shr, b_.op(Op::s_add, tokens, std::int32_t(cache_.page - 1)), page_log);
  const registers::ScalarReg entry = b_.op(Op::s_add, b_.op(Op::s_mul, position.outer, std::int32_t(per_sequence)),
                                           b_.op(Op::s_shr, position.begin, page_log));
  const registers::ScalarReg first_page = b_.op(Op::s_mul, plane(position), std::int32_t(cache_.pages));
  const registers::ScalarReg keys =
      b_.op(Op::s_add, b_.op(Op::s_mul, half, 2 * hw::isa::descriptor_words), descriptors_);
  const registers::ScalarReg values = b_.op(Op::s_add, keys, hw::isa::descriptor_words);
  const registers::ScalarReg row = b_.op(Op::s_mul, half, std::int32_t(half_rows() * builder::row_words));
  const registers::ScalarReg to_keys = b_.op(Op::s_add, row, keys_.row * builder::row_words);
  const registers::ScalarReg to_values = b_.op(Op::s_add, row, values_.row * builder::row_words);
  b_.loop(b_.op(Op::s_add, pages, 0), {}, [&] {
    const registers::ScalarReg page = b_.op(Op::s_add, b_.load_smem(entry, table_), first_page);
    const registers::ScalarReg before = b_.op(Op::s_mul, page, std::int32_t(cache_.plane_words));
    const registers::ScalarReg from_keys = b_.op(Op::s_add, before, std::int32_t(cache_.keys));
    const registers::ScalarReg from_values = b_.op(Op::s_add, before, std::int32_t(cache_.values));
    b_.when(due, false, [&] {
      b_.store_smem(keys, source_of, from_keys);
      b_.store_smem(keys, destination_of, to_keys);
      b_.dma(keys);
      b_.store_smem(values, source_of, from_values);
      b_.store_smem(values, destination_of, to_values);
      b_.dma(values);
    });
    b_.assign(entry, Op::s_add, entry, 1);
    b_.assign(to_keys, Op::s_add, to_keys, std::int32_t(page_words(cache_)));
    b_.assign(to_values, Op::s_add, to_values, std::int32_t(page_words(cache_)));
  });
  add_issued(half, b_.op(Op::s_add, pages, pages), due);
}

void KeyStream::add_issued(registers::ScalarReg half, registers::ScalarOperand count,
                           registers::PredicateReg due) const {
  const registers::ScalarReg all = b_.op(Op::s_add, b_.load_smem(half, issued_), count);
  b_.when(due, false, [&] { b_.store_smem(half, issued_, all); });
}

}  // namespace podsim::sw::codegen::families::attention
