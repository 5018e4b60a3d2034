// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/tile_loop.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/diagnostic.h"
#include "sw/kernels/odometer.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

constexpr std::int32_t row_words = 128;
/// Words of a descriptor (isa/dma_descriptor.h).
constexpr std::int32_t source_word = 1, destination_word = 2, words_word = 3, rows_word = 4;

/// The indices of a tile in the plan's dimensions, in registers while they are needed.
using Indices = std::vector<ScalarReg>;

}  // namespace

struct TileLoop::State {
  /// One stream's memory: for each half a flag and descriptors of all pieces; in SMEM the numbers of the transfers that
  /// are next to be started (inputs) and in use.
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

  /// As it is for the first tile.
  static hw::isa::DmaDescriptor first_descriptor(const Stream& stream, int half, const TilePiece& piece) {
    const TileStream& data = stream.data;
    const bool input = data.role == TileRole::input;
    const std::int64_t first_row = stream.buffer.row + half * data.vmem_rows;
    const std::int64_t cut = std::min(data.rows.begin(0) + data.rows.before, data.rows.length) * data.vmem_stride;
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = input ? hw::isa::DmaRoute::hbm_to_vmem : hw::isa::DmaRoute::vmem_to_hbm;
    descriptor.flag = std::uint32_t(stream.flag + half);
    (input ? descriptor.source : descriptor.destination) = std::uint32_t(data.address + piece.hbm);
    (input ? descriptor.destination : descriptor.source) = std::uint32_t(first_row * row_words + piece.vmem + cut);
    descriptor.words = std::uint32_t(data.words.end(0));
    descriptor.rows = std::uint32_t(data.rows.end(0) - data.rows.begin(0));
    descriptor.source_stride = std::uint32_t(input ? data.hbm_stride : data.vmem_stride);
    descriptor.destination_stride = std::uint32_t(input ? data.vmem_stride : data.hbm_stride);
    return descriptor;
  }

  Indices load_indices(std::int32_t from) const {
    Indices loaded;
    for (std::size_t d = 0; d < plan.counts.size(); ++d) {
      loaded.push_back(plan.counts[d] == 1 ? ScalarReg{} : builder.load_smem({}, from + std::int32_t(d)));
    }
    return loaded;
  }

  /// Steps to the next tile, in memory unless `stay` is set; what comes out of the outermost dimension is returned, or
  /// into the one that counts parts: 1 behind the last tile.
  ScalarReg advance(std::int32_t at, Indices& now, PredicateReg stay = {}) const {
    ScalarReg carry = builder.constant(1), out = carry;
    for (std::size_t d = plan.counts.size(); d-- > 0;) {
      if (d == 0 && plan.in_parts) out = builder.op(Opcode::s_or, carry, 0);
      if (plan.counts[d] == 1) continue;
      const ScalarReg next = builder.op(Opcode::s_add, now[d], carry);
      const PredicateReg wraps = builder.compare(Opcode::s_eq, next, std::int32_t(plan.counts[d]));
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

  /// The shared dimensions' indices as one number, which is 0 for the first of the tiles that share the stream's, and
  /// not if `other` is not 0.
  ScalarReg place_in_period(const Stream& stream, const Indices& tile, ScalarOperand other) const {
    ScalarReg any = builder.op(Opcode::s_or, {}, other);
    for (int d : plan.shared_dimensions(stream.data)) any = builder.op(Opcode::s_or, any, tile[std::size_t(d)]);
    return any;
  }
  PredicateReg first_of_period(const Stream& stream, const Indices& tile, ScalarOperand finished) const {
    return builder.compare(Opcode::s_eq, place_in_period(stream, tile, finished), 0);
  }

  /// i * step - before, not yet cut off.
  ScalarReg uncut_begin(const TileWindow& window, ScalarReg index) const {
    ScalarReg first = index;
    if (window.step != 1) first = builder.op(Opcode::s_mul, index, std::int32_t(window.step));
    if (window.before != 0) first = builder.op(Opcode::s_sub, first, std::int32_t(window.before));
    return first;
  }
  std::int64_t count(const TileWindow& window) const {
    return window.dimension < 0 ? 1 : plan.counts[std::size_t(window.dimension)];
  }
  /// Whether every tile has the same part, but for where it begins.
  bool uniform(const TileWindow& window) const { return count(window) == 1 || window.uniform(count(window)); }
  ScalarReg index_of(const TileWindow& window, const Indices& tile) const {
    return window.dimension < 0 ? ScalarReg{} : tile[std::size_t(window.dimension)];
  }
  bool leaves_empty(const TileWindow& window) const { return window.leaves_empty(count(window)); }
  ScalarReg begin(const TileWindow& window, ScalarReg index) const {
    return cut_off(window, uncut_begin(window, index));
  }
  ScalarReg cut_off(const TileWindow& window, ScalarReg first) const {
    if (window.before != 0) first = builder.op(Opcode::s_max, first, 0);
    if (leaves_empty(window)) first = builder.op(Opcode::s_min, first, std::int32_t(window.total));
    return first;
  }
  ScalarReg length(const TileWindow& window, ScalarReg index) const {
    const ScalarReg first = uncut_begin(window, index);
    ScalarReg end = builder.op(Opcode::s_add, first, std::int32_t(window.length));
    end = builder.op(Opcode::s_min, end, std::int32_t(window.total));
    if (leaves_empty(window)) end = builder.op(Opcode::s_max, end, 0);
    return builder.op(Opcode::s_sub, end, cut_off(window, first));
  }

  /// Within 0 and `most`: where a transfer of nothing goes has to be in memory as well.
  ScalarReg clamped(ScalarReg x, std::int64_t most) const {
    return builder.op(Opcode::s_max, builder.op(Opcode::s_min, x, std::int32_t(most)), 0);
  }

  /// HBM word where a tile of the stream begins.
  ScalarReg hbm_address(const Stream& stream, const Indices& tile) const {
    ScalarReg address = builder.constant(std::int32_t(stream.data.address));
    const auto add = [&](ScalarReg index, std::int64_t factor) {
      if (factor == 0) return;
      address = builder.op(Opcode::s_add, address, builder.op(Opcode::s_mul, index, std::int32_t(factor)));
    };
    for (std::size_t d = 0; d < stream.data.steps.size(); ++d) {
      if (plan.counts[d] > 1) add(tile[d], stream.data.steps[d]);
    }
    if (count(stream.data.rows) > 1)
      add(begin(stream.data.rows, index_of(stream.data.rows, tile)), stream.data.hbm_stride);
    if (count(stream.data.words) > 1) add(begin(stream.data.words, index_of(stream.data.words, tile)), 1);
    return address;
  }

  /// VMEM word of the half where a tile's first DMA row goes.
  ScalarReg vmem_address(const Stream& stream, const Indices& tile, ScalarReg half) const {
    const TileStream& data = stream.data;
    const ScalarReg index = index_of(data.rows, tile);
    ScalarReg cut = builder.op(Opcode::s_sub, begin(data.rows, index), uncut_begin(data.rows, index));
    if (leaves_empty(data.rows)) cut = clamped(cut, data.rows.length);
    const ScalarReg within = builder.op(Opcode::s_mul, cut, std::int32_t(data.vmem_stride));
    const ScalarReg half_words = builder.op(Opcode::s_mul, half, std::int32_t(data.vmem_rows) * row_words);
    return builder.op(Opcode::s_add, within, builder.op(Opcode::s_add, half_words, stream.buffer.row * row_words));
  }

  /// Fills in what the half's descriptors do not hold from the start, and starts them if the predicate is set.
  void transfer(const Stream& stream, const Indices& tile, ScalarReg number, PredicateReg predicate) const {
    const TileStream& data = stream.data;
    const bool input = data.role == TileRole::input;
    const ScalarReg half = builder.op(Opcode::s_and, number, 1);
    const ScalarReg first =
        builder.op(Opcode::s_add, builder.op(Opcode::s_mul, half, stream.words_of_half()), stream.descriptors);
    const ScalarReg hbm = hbm_address(stream, tile);
    std::optional<ScalarReg> vmem, words, rows;
    if (data.rows.before != 0) vmem = vmem_address(stream, tile, half);
    if (!uniform(data.words)) words = length(data.words, index_of(data.words, tile));
    if (!uniform(data.rows)) rows = length(data.rows, index_of(data.rows, tile));
    for (int i = 0; i < stream.pieces(); ++i) {
      const TilePiece& piece = data.pieces[std::size_t(i)];
      const std::int32_t at = i * hw::isa::descriptor_words;
      const auto put = [&](std::int32_t word, ScalarReg value) {
        builder.when(predicate, false, [&] { builder.store_smem(first, at + word, value); });
      };
      put(input ? source_word : destination_word, further(hbm, piece.hbm));
      if (vmem) put(input ? destination_word : source_word, further(*vmem, piece.vmem));
      if (words) put(words_word, *words);
      if (rows) put(rows_word, *rows);
      const ScalarReg descriptor = further(first, at);
      builder.when(predicate, false, [&] { builder.dma(descriptor); });
    }
  }
  ScalarReg further(ScalarReg x, std::int64_t by) const {
    return by == 0 ? x : builder.op(Opcode::s_add, x, std::int32_t(by));
  }

  /// Adds one to a count in SMEM if the predicate is set.
  void count_up(std::int32_t address, ScalarReg value, PredicateReg predicate) const {
    const ScalarReg next = builder.op(Opcode::s_add, value, 1);
    builder.when(predicate, false, [&] { builder.store_smem({}, address, next); });
  }

  /// The reads of the next tile that has none yet, if there is one and `held` is 0.
  void start_reads(ScalarOperand held = 0) const {
    Indices tile = load_indices(next_indices);
    const ScalarReg finished = load_finished();
    const ScalarReg none = held.literal ? finished : builder.op(Opcode::s_or, finished, held);
    for (const Stream& stream : streams) {
      if (stream.data.role != TileRole::input || stream.transfers == 1) continue;
      const PredicateReg due = first_of_period(stream, tile, none);
      const ScalarReg number = builder.load_smem({}, stream.started);
      transfer(stream, tile, number, due);
      count_up(stream.started, number, due);
    }
    // A part that has been read stays at the next one's first tile until that is started.
    const PredicateReg stay = plan.in_parts ? builder.compare(Opcode::s_ne, none, 0) : PredicateReg{};
    const ScalarReg wrapped = advance(next_indices, tile, stay);
    store_unless(stay, finished_at(), builder.op(Opcode::s_or, finished, wrapped));
  }

  std::int32_t finished_at() const { return next_indices + std::int32_t(plan.counts.size()); }
  /// 1 when all tiles are read, or all of a part.
  ScalarReg load_finished() const { return builder.load_smem({}, finished_at()); }

  void store_unless(PredicateReg stay, std::int32_t address, ScalarReg value) const {
    if (stay.id == 0) {
      builder.store_smem({}, address, value);
    } else {
      builder.when(stay, true, [&] { builder.store_smem({}, address, value); });
    }
  }

  /// The reads of the first two tiles, or of those of a part, if `held` is 0.
  void start(ScalarOperand held) const {
    builder.mark("load");
    start_single_reads();
    if (plan.in_parts) set_unfinished();
    const std::int64_t tiles = plan.tiles_in_run();
    for (std::int64_t ahead = 0; ahead < std::min<std::int64_t>(tiles, 2); ++ahead) start_reads(held);
  }

  /// There are tiles to read again: of the next part.
  void set_unfinished() const { builder.store_smem({}, next_indices + std::int32_t(plan.counts.size()), ScalarReg{}); }

  /// Inputs that are moved only once.
  void start_single_reads() const {
    for (const Stream& stream : streams) {
      if (stream.data.role != TileRole::input || stream.transfers > 1) continue;
      for (int i = 0; i < stream.pieces(); ++i) builder.dma(stream.descriptors + i * hw::isa::descriptor_words);
    }
  }

  /// An input's transfer `number` is the (number / 2 + 1)-th of its half; an output's waits for those before it.
  void wait() const {
    for (const Stream& stream : streams) {
      const bool input = stream.data.role == TileRole::input;
      if (stream.transfers == 1) {
        if (input) builder.sync_wait(stream.flag, stream.pieces());
        continue;
      }
      const ScalarReg number = builder.load_smem({}, stream.current);
      const ScalarReg flag = builder.op(Opcode::s_add, builder.op(Opcode::s_and, number, 1), stream.flag);
      const ScalarReg before = builder.op(Opcode::s_shr, number, 1);
      const ScalarReg moved = input ? builder.op(Opcode::s_add, before, 1) : before;
      builder.sync_wait(flag, product(builder, moved, stream.pieces()));
    }
  }

  /// Starts the writes of a finished tile and steps to the next.
  void finish_tile() const {
    const Indices tile = load_indices(indices);
    Indices next = tile;
    advance(indices, next);
    for (const Stream& stream : streams) {
      const bool input = stream.data.role == TileRole::input;
      if (stream.transfers == 1 && input) continue;
      const PredicateReg done = first_of_period(stream, next, 0);
      const ScalarReg number = builder.load_smem({}, stream.current);
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
  /// Of the transfers up to now, which are all when nothing stands in a loop over parts.
  ScalarOperand transfers_of_half(const Stream& stream, int half) const {
    if (!plan.in_parts) return std::int32_t((stream.transfers - half + 1) / 2 * stream.pieces());
    const ScalarReg others = builder.op(Opcode::s_add, builder.load_smem({}, stream.current), 1 - half);
    return product(builder, builder.op(Opcode::s_shr, others, 1), stream.pieces());
  }

  KernelBuilder& builder;
  const TilePlan plan;
  std::vector<Stream> streams;
  std::int32_t indices = 0, next_indices = 0;  ///< SMEM addresses; behind next_indices, whether all tiles are read
};

TileLoop::TileLoop(KernelBuilder& builder, const TilePlan& plan, int first_flag)
    : state_(std::make_unique<State>(builder, plan, first_flag)) {}
TileLoop::~TileLoop() = default;

ScalarReg TileLoop::Tile::index(int dimension) const {
  const State& state = *loop_.state_;
  if (state.plan.counts[std::size_t(dimension)] == 1) return {};
  return state.builder.load_smem({}, state.indices + dimension);
}

ScalarReg TileLoop::Tile::row(int stream) const {
  const State& state = *loop_.state_;
  const State::Stream& chosen = state.streams[std::size_t(stream)];
  if (chosen.transfers == 1) return state.builder.constant(chosen.buffer.row);
  const ScalarReg half = state.builder.op(Opcode::s_and, state.builder.load_smem({}, chosen.current), 1);
  const ScalarReg rows = state.builder.op(Opcode::s_mul, half, std::int32_t(chosen.data.vmem_rows));
  return state.builder.op(Opcode::s_add, rows, chosen.buffer.row);
}

ScalarOperand TileLoop::Tile::reused(int stream) const {
  const State& state = *loop_.state_;
  const State::Stream& chosen = state.streams[std::size_t(stream)];
  if (chosen.period == 1) return 0;
  return state.place_in_period(chosen, state.load_indices(state.indices), 0);
}

int TileLoop::Tile::buffer(int stream) const { return loop_.state_->streams[std::size_t(stream)].buffer.buffer; }

ScalarOperand TileLoop::Tile::begin(const TileWindow& window) const {
  const State& state = *loop_.state_;
  if (state.count(window) == 1) return std::int32_t(window.begin(0));
  return state.begin(window, index(window.dimension));
}

ScalarOperand TileLoop::Tile::length(const TileWindow& window) const {
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
    const ScalarReg unread = state.builder.op(Opcode::s_xor, state.load_finished(), 1);
    if (tiles > 2) state.start_reads();
    next->start_reads(state.builder.op(Opcode::s_or, unread, following.skip));
  });
}

void TileLoop::wait_for_writes() { state_->wait_for_last_writes(); }

}  // namespace podsim::sw
