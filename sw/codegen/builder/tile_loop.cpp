// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/tile_loop.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/diagnostic.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

namespace {

/// Words of a descriptor (hw/isa/dma_descriptor.h).
constexpr std::int32_t source_word = 1, destination_word = 2, words_word = 3, rows_word = 4;

/// The indices of a tile in the plan's dimensions, in registers.
using Indices = std::vector<registers::ScalarReg>;

}  // namespace

struct TileLoop::State {
  /// Memory of a stream: for each half a flag and descriptors of all pieces; in SMEM the number of the transfer to be
  /// started next (inputs) and of the transfer in use.
  struct Stream {
    int pieces() const { return int(data.pieces.size()); }
    std::int32_t words_of_half() const { return hw::isa::descriptor_words * pieces(); }

    TileStream data;
    std::int64_t period = 1, transfers = 1;
    KernelBuilder::VmemBuffer buffer;
    std::int32_t descriptors = 0;
    int flag = 0;
    std::int32_t started = 0, current = 0;  ///< SMEM addresses
  };

  State(KernelBuilder& b, const TilePlan& p, int first_flag) : builder(b), plan(p) {
    indices = builder.smem_words(int(plan.counts.size()));
    next_indices = builder.smem_words(int(plan.counts.size()) + 1);
    for (const TileStream& stream : plan.streams) {
      streams.push_back(make_stream(stream, first_flag));
      first_flag += 2;
    }
    if (first_flag > builder.machine().sync_flags) {
      throw base::InputError("the tiles of a kernel need " + std::to_string(first_flag) + " sync flags; a core has " +
                             std::to_string(builder.machine().sync_flags));
    }
  }

  Stream make_stream(const TileStream& data, int flag) {
    Stream stream{data, plan.period(data),     plan.transfers(data), builder.vmem_rows(plan.buffer_rows(data)), 0,
                  flag, builder.smem_words(1), builder.smem_words(1)};
    if (plan.in_vmem) return stream;
    for (int half = 0; half < std::min<std::int64_t>(stream.transfers, 2); ++half) {
      for (const TilePiece& piece : data.pieces) {
        const std::int32_t address = builder.descriptor(first_descriptor(stream, half, piece), data.name);
        if (half == 0 && &piece == data.pieces.data()) stream.descriptors = address;
      }
    }
    return stream;
  }

  /// Returns the descriptor for the first tile.
  static hw::isa::DmaDescriptor first_descriptor(const Stream& stream, int half, const TilePiece& piece) {
    const TileStream& data = stream.data;
    const bool input = data.role == TileRole::input;
    const std::int64_t first_row = stream.buffer.row + half * data.vmem_rows;
    const std::int64_t clipped_rows =
        std::min(data.rows.begin(0) + data.rows.before, data.rows.length) * data.vmem_stride;
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = input ? hw::isa::DmaRoute::hbm_to_vmem : hw::isa::DmaRoute::vmem_to_hbm;
    descriptor.flag = std::uint32_t(stream.flag + half);
    (input ? descriptor.source : descriptor.destination) = std::uint32_t(data.address + piece.hbm);
    (input ? descriptor.destination : descriptor.source) =
        std::uint32_t(first_row * row_words + piece.vmem + clipped_rows);
    descriptor.words = std::uint32_t(data.words.end(0));
    descriptor.rows = std::uint32_t(data.rows.end(0) - data.rows.begin(0));
    descriptor.source_stride = std::uint32_t(input ? data.hbm_stride : data.vmem_stride);
    descriptor.destination_stride = std::uint32_t(input ? data.vmem_stride : data.hbm_stride);
    return descriptor;
  }

  Indices load_indices(std::int32_t from) const {
    Indices loaded;
    for (std::size_t d = 0; d < plan.counts.size(); ++d) {
      loaded.push_back(plan.counts[d] == 1 ? registers::ScalarReg{} : builder.load_smem({}, from + std::int32_t(d)));
    }
    return loaded;
  }

  /// Advances to the next tile; the indices in memory do not change if `stay` is set. Returns the carry out of the
  /// outermost dimension, or for a plan in parts into the dimension of parts: 1 after the last tile.
  registers::ScalarReg advance(std::int32_t at, Indices& now, registers::PredicateReg stay = {}) const {
    registers::ScalarReg carry = builder.constant(1), out = carry;
    for (std::size_t d = plan.counts.size(); d-- > 0;) {
      if (d == 0 && plan.in_parts) out = builder.op(hw::isa::Opcode::s_or, carry, 0);
      if (plan.counts[d] == 1) continue;
      const registers::ScalarReg next = builder.op(hw::isa::Opcode::s_add, now[d], carry);
      const registers::PredicateReg wraps = builder.compare(hw::isa::Opcode::s_eq, next, std::int32_t(plan.counts[d]));
      builder.set(carry, 0);
      builder.when(wraps, false, [&] {
        builder.set(next, 0);
        builder.set(carry, 1);
      });
      store_unless(stay, at + std::int32_t(d), next);
      now[d] = next;
    }
    return out;
  }

  /// Combines the indices of the shared dimensions into a number. It is 0 for the first of the tiles that share a tile
  /// of the stream, and nonzero if `other` is nonzero.
  registers::ScalarReg index_in_period(const Stream& stream, const Indices& tile,
                                       registers::ScalarOperand other) const {
    registers::ScalarReg any = builder.op(hw::isa::Opcode::s_or, {}, other);
    for (int d : plan.shared_dimensions(stream.data))
      any = builder.op(hw::isa::Opcode::s_or, any, tile[std::size_t(d)]);
    return any;
  }
  registers::PredicateReg first_of_period(const Stream& stream, const Indices& tile,
                                          registers::ScalarOperand finished) const {
    return builder.compare(hw::isa::Opcode::s_eq, index_in_period(stream, tile, finished), 0);
  }

  /// i * step - before, not clipped.
  registers::ScalarReg unclipped_begin(const TileWindow& window, registers::ScalarReg index) const {
    registers::ScalarReg first = index;
    if (window.step != 1) first = builder.op(hw::isa::Opcode::s_mul, index, std::int32_t(window.step));
    if (window.before != 0) first = builder.op(hw::isa::Opcode::s_sub, first, std::int32_t(window.before));
    return first;
  }
  std::int64_t count(const TileWindow& window) const {
    return window.dimension < 0 ? 1 : plan.counts[std::size_t(window.dimension)];
  }
  /// Returns true if the parts of all tiles have the same length.
  bool uniform(const TileWindow& window) const { return count(window) == 1 || window.uniform(count(window)); }
  registers::ScalarReg index_of(const TileWindow& window, const Indices& tile) const {
    return window.dimension < 0 ? registers::ScalarReg{} : tile[std::size_t(window.dimension)];
  }
  bool leaves_empty(const TileWindow& window) const { return window.leaves_empty(count(window)); }
  registers::ScalarReg begin(const TileWindow& window, registers::ScalarReg index) const {
    return clipped(window, unclipped_begin(window, index));
  }
  registers::ScalarReg clipped(const TileWindow& window, registers::ScalarReg first) const {
    if (window.before != 0) first = builder.op(hw::isa::Opcode::s_max, first, 0);
    if (leaves_empty(window)) first = builder.op(hw::isa::Opcode::s_min, first, std::int32_t(window.total));
    return first;
  }
  registers::ScalarReg length(const TileWindow& window, registers::ScalarReg index) const {
    const registers::ScalarReg first = unclipped_begin(window, index);
    registers::ScalarReg end = builder.op(hw::isa::Opcode::s_add, first, std::int32_t(window.length));
    end = builder.op(hw::isa::Opcode::s_min, end, std::int32_t(window.total));
    if (leaves_empty(window)) end = builder.op(hw::isa::Opcode::s_max, end, 0);
    return builder.op(hw::isa::Opcode::s_sub, end, clipped(window, first));
  }

  /// Clamps x to 0 .. `most`. The address of an empty transfer has to be in memory too.
  registers::ScalarReg clamped(registers::ScalarReg x, std::int64_t most) const {
    return builder.op(hw::isa::Opcode::s_max, builder.op(hw::isa::Opcode::s_min, x, std::int32_t(most)), 0);
  }

  /// Returns the HBM word address of a tile of the stream.
  registers::ScalarReg hbm_address(const Stream& stream, const Indices& tile) const {
    registers::ScalarReg address = builder.constant(std::int32_t(stream.data.address));
    const auto add = [&](registers::ScalarReg index, std::int64_t factor) {
      if (factor == 0) return;
      address =
          builder.op(hw::isa::Opcode::s_add, address, builder.op(hw::isa::Opcode::s_mul, index, std::int32_t(factor)));
    };
    for (std::size_t d = 0; d < stream.data.steps.size(); ++d) {
      if (plan.counts[d] > 1) add(tile[d], stream.data.steps[d]);
    }
    if (count(stream.data.rows) > 1)
      add(begin(stream.data.rows, index_of(stream.data.rows, tile)), stream.data.hbm_stride);
    if (count(stream.data.words) > 1) add(begin(stream.data.words, index_of(stream.data.words, tile)), 1);
    return address;
  }

  /// Returns the VMEM word address of a tile's first DMA row in a half.
  registers::ScalarReg vmem_address(const Stream& stream, const Indices& tile, registers::ScalarReg half) const {
    const TileStream& data = stream.data;
    const registers::ScalarReg index = index_of(data.rows, tile);
    registers::ScalarReg clipped_rows =
        builder.op(hw::isa::Opcode::s_sub, begin(data.rows, index), unclipped_begin(data.rows, index));
    if (leaves_empty(data.rows)) clipped_rows = clamped(clipped_rows, data.rows.length);
    const registers::ScalarReg within =
        builder.op(hw::isa::Opcode::s_mul, clipped_rows, std::int32_t(data.vmem_stride));
    const registers::ScalarReg half_words =
        builder.op(hw::isa::Opcode::s_mul, half, std::int32_t(data.vmem_rows) * row_words);
    return builder.op(hw::isa::Opcode::s_add, within,
                      builder.op(hw::isa::Opcode::s_add, half_words, stream.buffer.row * row_words));
  }

  /// Writes the fields that change from tile to tile into the half's descriptors, and starts them. Does neither if the
  /// predicate is clear.
  void transfer(const Stream& stream, const Indices& tile, registers::ScalarReg number,
                registers::PredicateReg predicate) const {
    const TileStream& data = stream.data;
    const bool input = data.role == TileRole::input;
    const registers::ScalarReg half = builder.op(hw::isa::Opcode::s_and, number, 1);
    const registers::ScalarReg first = builder.op(
        hw::isa::Opcode::s_add, builder.op(hw::isa::Opcode::s_mul, half, stream.words_of_half()), stream.descriptors);
    const registers::ScalarReg hbm = hbm_address(stream, tile);
    std::optional<registers::ScalarReg> vmem, words, rows;
    if (data.rows.before != 0) vmem = vmem_address(stream, tile, half);
    if (!uniform(data.words)) words = length(data.words, index_of(data.words, tile));
    if (!uniform(data.rows)) rows = length(data.rows, index_of(data.rows, tile));
    for (int i = 0; i < stream.pieces(); ++i) {
      const TilePiece& piece = data.pieces[std::size_t(i)];
      const std::int32_t at = i * hw::isa::descriptor_words;
      const auto put = [&](std::int32_t word, registers::ScalarReg value) {
        builder.when(predicate, false, [&] { builder.store_smem(first, at + word, value); });
      };
      put(input ? source_word : destination_word, further(hbm, piece.hbm));
      if (vmem) put(input ? destination_word : source_word, further(*vmem, piece.vmem));
      if (words) put(words_word, *words);
      if (rows) put(rows_word, *rows);
      const registers::ScalarReg descriptor = further(first, at);
      builder.when(predicate, false, [&] { builder.dma(descriptor); });
    }
  }
  registers::ScalarReg further(registers::ScalarReg x, std::int64_t by) const {
    return by == 0 ? x : builder.op(hw::isa::Opcode::s_add, x, std::int32_t(by));
  }

  /// Adds one to a count in SMEM if the predicate is set.
  void count_up(std::int32_t address, registers::ScalarReg value, registers::PredicateReg predicate) const {
    const registers::ScalarReg next = builder.op(hw::isa::Opcode::s_add, value, 1);
    builder.when(predicate, false, [&] { builder.store_smem({}, address, next); });
  }

  /// Starts the reads of the next unread tile, if there is one and `held` is 0.
  void start_reads(registers::ScalarOperand held = 0) const {
    Indices tile = load_indices(next_indices);
    const registers::ScalarReg finished = load_finished();
    const registers::ScalarReg none = held.literal ? finished : builder.op(hw::isa::Opcode::s_or, finished, held);
    for (const Stream& stream : streams) {
      if (stream.data.role != TileRole::input || stream.transfers == 1) continue;
      const registers::PredicateReg due = first_of_period(stream, tile, none);
      const registers::ScalarReg number = builder.load_smem({}, stream.started);
      transfer(stream, tile, number, due);
      count_up(stream.started, number, due);
    }
    // After all tiles of a part are read, the indices stay at the first tile of the next part until it is started.
    const registers::PredicateReg stay =
        plan.in_parts ? builder.compare(hw::isa::Opcode::s_ne, none, 0) : registers::PredicateReg{};
    const registers::ScalarReg wrapped = advance(next_indices, tile, stay);
    store_unless(stay, finished_at(), builder.op(hw::isa::Opcode::s_or, finished, wrapped));
  }

  std::int32_t finished_at() const { return next_indices + std::int32_t(plan.counts.size()); }
  /// Loads the flag that is 1 when all tiles, or all tiles of a part, are read.
  registers::ScalarReg load_finished() const { return builder.load_smem({}, finished_at()); }

  void store_unless(registers::PredicateReg stay, std::int32_t address, registers::ScalarReg value) const {
    if (stay.id == 0) {
      builder.store_smem({}, address, value);
    } else {
      builder.when(stay, true, [&] { builder.store_smem({}, address, value); });
    }
  }

  /// Starts the reads of the first two tiles (of a part), if `held` is 0.
  void start(registers::ScalarOperand held) const {
    builder.mark("load");
    start_single_reads();
    if (plan.in_parts) set_unfinished();
    const std::int64_t tiles = plan.tiles_in_run();
    for (std::int64_t ahead = 0; ahead < std::min<std::int64_t>(tiles, 2); ++ahead) start_reads(held);
  }

  /// Marks that there are tiles to read, those of the next part.
  void set_unfinished() const {
    builder.store_smem({}, next_indices + std::int32_t(plan.counts.size()), registers::ScalarReg{});
  }

  /// Starts the reads of inputs that are moved only once.
  void start_single_reads() const {
    for (const Stream& stream : streams) {
      if (stream.data.role != TileRole::input || stream.transfers > 1) continue;
      for (int i = 0; i < stream.pieces(); ++i) builder.dma(stream.descriptors + i * hw::isa::descriptor_words);
    }
  }

  /// Waits for the reads of a tile and for earlier writes from its output halves. Transfer `number` of a stream is
  /// number (number / 2 + 1) of its half, counted from 1. An input waits for that transfer, an output for those before.
  void wait() const {
    for (const Stream& stream : streams) {
      const bool input = stream.data.role == TileRole::input;
      if (stream.transfers == 1) {
        if (input) builder.sync_wait(stream.flag, stream.pieces());
        continue;
      }
      const registers::ScalarReg number = builder.load_smem({}, stream.current);
      const registers::ScalarReg flag =
          builder.op(hw::isa::Opcode::s_add, builder.op(hw::isa::Opcode::s_and, number, 1), stream.flag);
      const registers::ScalarReg before = builder.op(hw::isa::Opcode::s_shr, number, 1);
      const registers::ScalarReg moved = input ? builder.op(hw::isa::Opcode::s_add, before, 1) : before;
      builder.sync_wait(flag, product(builder, moved, stream.pieces()));
    }
  }

  /// Starts the writes of a finished tile and advances to the next.
  void finish_tile() const {
    const Indices tile = load_indices(indices);
    Indices next = tile;
    advance(indices, next);
    for (const Stream& stream : streams) {
      const bool input = stream.data.role == TileRole::input;
      if (stream.transfers == 1 && input) continue;
      const registers::PredicateReg done = first_of_period(stream, next, 0);
      const registers::ScalarReg number = builder.load_smem({}, stream.current);
      if (!input) transfer(stream, tile, number, done);
      count_up(stream.current, number, done);
    }
  }

  void wait_for_last_writes() const {
    for (const Stream& stream : streams) {
      if (stream.data.role == TileRole::input) continue;
      for (int half = 0; half < 2 && half < stream.transfers; ++half) {
        builder.sync_wait(stream.flag + half, transfers_of_half(stream, half));
      }
    }
  }
  /// Returns the number of DMAs of a half up to now, which are all of them if the plan is not in parts.
  registers::ScalarOperand transfers_of_half(const Stream& stream, int half) const {
    if (!plan.in_parts) return std::int32_t((stream.transfers - half + 1) / 2 * stream.pieces());
    const registers::ScalarReg others =
        builder.op(hw::isa::Opcode::s_add, builder.load_smem({}, stream.current), 1 - half);
    return product(builder, builder.op(hw::isa::Opcode::s_shr, others, 1), stream.pieces());
  }

  KernelBuilder& builder;
  const TilePlan plan;
  std::vector<Stream> streams;
  std::int32_t indices = 0, next_indices = 0;  ///< SMEM addresses; after next_indices a flag: all tiles are read
};

TileLoop::TileLoop(KernelBuilder& builder, const TilePlan& plan, int first_flag)
    : state_(std::make_unique<State>(builder, plan, first_flag)) {}
TileLoop::~TileLoop() = default;

registers::ScalarReg TileLoop::Tile::index(int dimension) const {
  const State& state = *loop_.state_;
  if (state.plan.counts[std::size_t(dimension)] == 1) return {};
  return state.builder.load_smem({}, state.indices + dimension);
}

registers::ScalarReg TileLoop::Tile::row(int stream) const {
  const State& state = *loop_.state_;
  const State::Stream& chosen = state.streams[std::size_t(stream)];
  if (chosen.transfers == 1) return state.builder.constant(chosen.buffer.row);
  const registers::ScalarReg half =
      state.builder.op(hw::isa::Opcode::s_and, state.builder.load_smem({}, chosen.current), 1);
  const registers::ScalarReg rows = state.builder.op(hw::isa::Opcode::s_mul, half, std::int32_t(chosen.data.vmem_rows));
  return state.builder.op(hw::isa::Opcode::s_add, rows, chosen.buffer.row);
}

registers::ScalarOperand TileLoop::Tile::reused(int stream) const {
  const State& state = *loop_.state_;
  const State::Stream& chosen = state.streams[std::size_t(stream)];
  if (chosen.period == 1) return 0;
  return state.index_in_period(chosen, state.load_indices(state.indices), 0);
}

int TileLoop::Tile::buffer(int stream) const { return loop_.state_->streams[std::size_t(stream)].buffer.buffer; }

registers::ScalarOperand TileLoop::Tile::begin(const TileWindow& window) const {
  const State& state = *loop_.state_;
  if (state.count(window) == 1) return std::int32_t(window.begin(0));
  return state.begin(window, index(window.dimension));
}

registers::ScalarOperand TileLoop::Tile::length(const TileWindow& window) const {
  const State& state = *loop_.state_;
  if (state.uniform(window)) return std::int32_t(window.end(0) - window.begin(0));
  return state.length(window, index(window.dimension));
}

void TileLoop::run(const std::function<void(const Tile&)>& body) {
  if (state_->plan.in_vmem) return run_in_place(body);
  start();
  run_tiles(body);
  wait_for_writes();
}

void TileLoop::run_in_place(const std::function<void(const Tile&)>& body) {
  assert(state_->plan.tiles() == 1);
  state_->builder.mark("compute");
  body(Tile(*this));
}

std::vector<hw::isa::DmaDescriptor> TileLoop::transfers(TileRole role) const {
  assert(state_->plan.tiles() == 1);
  std::vector<hw::isa::DmaDescriptor> found;
  for (const State::Stream& stream : state_->streams) {
    if (stream.data.role != role) continue;
    for (const TilePiece& piece : stream.data.pieces) found.push_back(State::first_descriptor(stream, 0, piece));
  }
  return found;
}

void TileLoop::start() { state_->start(0); }

void TileLoop::run_tiles(const std::function<void(const Tile&)>& body, const FollowingLoop& following) {
  const State& state = *state_;
  const State* next = following.loop != nullptr ? following.loop->state_.get() : nullptr;
  const std::int64_t tiles = state.plan.tiles_in_run();
  if (next != nullptr && tiles == 1) {
    next->start(following.skip);
    next = nullptr;
  }
  if (next != nullptr) next->set_unfinished();
  state.builder.loop(std::int32_t(tiles), {}, [&] {
    state.builder.mark("load");
    state.wait();
    state.builder.mark("compute");
    body(Tile(*this));
    state.builder.mark("store");
    state.finish_tile();
    if (next == nullptr) {
      if (tiles > 2) state.start_reads();
      return;
    }
    const registers::ScalarReg unread = state.builder.op(hw::isa::Opcode::s_xor, state.load_finished(), 1);
    if (tiles > 2) state.start_reads();
    next->start_reads(state.builder.op(hw::isa::Opcode::s_or, unread, following.skip));
  });
}

void TileLoop::wait_for_writes() { state_->wait_for_last_writes(); }

}  // namespace podsim::sw::codegen::builder
