// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/flash_attention_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/matrix_pass.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/zero_padding.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/attention/flash_code.h"
#include "sw/codegen/families/attention/flash_plan.h"
#include "sw/codegen/families/attention/hidden_values.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::attention {

using Op = hw::isa::Opcode;

namespace {

/// Sync flags: queries and results have one for each half of their buffers.
constexpr std::int32_t flash_query_flag = 0, flash_result_flag = 2, flash_key_flag = 4;
constexpr std::int32_t descriptor_source = 1, descriptor_destination = 2, descriptor_length = 3;

class FlashWriter {
 public:
  FlashWriter(builder::KernelBuilder& builder, const FlashPlan& plan, const Kernel& kernel)
      : b_(builder),
        plan_(plan),
        queries_(builder.vmem_rows(2 * query_half())),
        results_(builder.vmem_rows(2 * state_rows())),
        buffers_{builder.vmem_rows(plan.score_rows()), builder.vmem_rows(state_rows()), builder.vmem_rows(state_rows()),
                 builder.vmem_rows(state_rows())},
        stream_(builder, plan.cache, plan.walk, flash_key_flag),
        trips_(builder.smem_data(trips(), "blocks of keys")),
        query_address_(kernel.inputs[0].address),
        result_address_(kernel.outputs[0].address),
        code_(builder, plan, buffers_) {
    for (std::int32_t half = 0; half < 2; ++half) {
      const std::int32_t read = builder.descriptor(read_descriptor(half), "queries");
      const std::int32_t written = builder.descriptor(write_descriptor(half), "result");
      if (half == 0) read_ = read, written_ = written;
    }
  }

  void write() {
    head_ = b_.constant(0);
    block_ = b_.constant(0);
    number_ = b_.constant(0);
    start_read_of_queries(head_, block_, number_);
    stream_.start();
    b_.loop(std::int32_t(plan_.problem.heads), {}, [&] {
      b_.set(block_, 0);
      b_.loop(plan_.query_blocks(), {}, [&] { write_query_block(); });
      b_.assign(head_, Op::s_add, head_, 1);
    });
    const std::int32_t blocks = all_blocks();
    for (std::int32_t half = 0; half < 2; ++half) b_.sync_wait(flash_result_flag + half, (blocks + 1 - half) / 2);
  }

 private:
  std::int64_t query_half() const { return plan_.block_registers() * plan_.query_tile_rows(); }
  std::int64_t state_rows() const { return plan_.block_queries(); }
  std::int32_t all_blocks() const { return std::int32_t(plan_.problem.heads) * plan_.query_blocks(); }
  std::int32_t query_tile_words() const { return std::int32_t(plan_.cache.tile_words()); }

  /// Blocks of keys by the block of queries.
  std::vector<std::int32_t> trips() const {
    std::vector<std::int32_t> trips;
    for (std::int32_t i = 0; i < plan_.query_blocks(); ++i) {
      trips.push_back(std::int32_t(base::divide_round_up(std::int64_t(plan_.walk.limit(0, i)), plan_.walk.block)));
    }
    return trips;
  }

  hw::isa::DmaDescriptor read_descriptor(std::int32_t half) const {
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = hw::isa::DmaRoute::hbm_to_vmem;
    descriptor.flag = std::uint32_t(flash_query_flag + half);
    descriptor.destination = std::uint32_t((queries_.row + half * query_half()) * builder::row_words);
    return descriptor;
  }
  hw::isa::DmaDescriptor write_descriptor(std::int32_t half) const {
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = hw::isa::DmaRoute::vmem_to_hbm;
    descriptor.flag = std::uint32_t(flash_result_flag + half);
    descriptor.source = std::uint32_t((results_.row + half * state_rows()) * builder::row_words);
    return descriptor;
  }

  /// The array's word offset of a block of queries, and its length, in tiles of `tile_words`.
  struct Piece {
    registers::ScalarReg begin, words;
  };
  Piece piece(registers::ScalarReg head, registers::ScalarReg block, std::int32_t tile_words) const {
    const registers::ScalarReg first = b_.op(Op::s_mul, block, plan_.block_registers());
    const registers::ScalarReg tile = b_.op(Op::s_add, b_.op(Op::s_mul, head, plan_.query_registers()), first);
    const registers::ScalarReg left = b_.op(Op::s_sub, b_.constant(plan_.query_registers()), first);
    return {b_.op(Op::s_mul, tile, tile_words),
            b_.op(Op::s_mul, b_.op(Op::s_min, left, plan_.block_registers()), tile_words)};
  }
  registers::ScalarReg descriptor_of_half(std::int32_t first, registers::ScalarReg half) const {
    return b_.op(Op::s_add, b_.op(Op::s_mul, half, 2 * hw::isa::descriptor_words), first);
  }

  /// Starts the read of a block of queries unless its number is beyond the last block.
  void start_read_of_queries(registers::ScalarReg head, registers::ScalarReg block, registers::ScalarReg number) const {
    const Piece read = piece(head, block, query_tile_words());
    const registers::ScalarReg descriptor = descriptor_of_half(read_, b_.op(Op::s_and, number, 1));
    const registers::ScalarReg from = b_.op(Op::s_add, read.begin, std::int32_t(query_address_));
    const registers::PredicateReg due = b_.compare(Op::s_lt, number, all_blocks());
    b_.when(due, false, [&] {
      b_.store_smem(descriptor, descriptor_source, from);
      b_.store_smem(descriptor, descriptor_length, read.words);
      b_.dma(descriptor);
    });
  }

  void start_next_read_of_queries() const {
    const registers::ScalarReg block = b_.op(Op::s_add, block_, 1), head = b_.op(Op::s_add, head_, 0);
    const registers::PredicateReg last = b_.compare(Op::s_eq, block, plan_.query_blocks());
    b_.when(last, false, [&] {
      b_.set(block, 0);
      b_.assign(head, Op::s_add, head, 1);
    });
    start_read_of_queries(head, block, b_.op(Op::s_add, number_, 1));
  }

  void write_query_block() {
    b_.mark("load");
    const registers::ScalarReg half = b_.op(Op::s_and, number_, 1), before = b_.op(Op::s_shr, number_, 1);
    b_.sync_wait(b_.op(Op::s_add, half, flash_query_flag), b_.op(Op::s_add, before, 1));
    start_next_read_of_queries();
    const registers::ScalarReg queries =
        b_.op(Op::s_add, b_.op(Op::s_mul, half, std::int32_t(query_half())), queries_.row);
    clear_lanes({queries_.buffer, queries, 1, plan_.problem.packed}, plan_.block_registers());
    b_.loop(b_.load_smem(block_, trips_), {}, [&] { write_key_block(queries); });
    write_result();
    b_.assign(block_, Op::s_add, block_, 1);
    b_.assign(number_, Op::s_add, number_, 1);
  }

  /// Clears the lanes beyond the head dimension, over which the scores contract.
  void clear_lanes(const builder::MatrixOperand& operand, std::int32_t tiles) const {
    if (plan_.problem.depth == builder::register_lanes) return;
    builder::clear_lanes(b_, {operand, {{tiles, builder::rows_of_tile(operand.packed)}}, {}}, int(plan_.problem.depth));
  }

  void write_key_block(registers::ScalarReg queries) {
    const KeyStream::Block block = stream_.wait();
    b_.mark("compute");
    const bool packed = plan_.problem.packed;
    const builder::MatrixOperand keys{stream_.keys_buffer(), block.keys, 1, packed};
    const builder::MatrixOperand values{stream_.values_buffer(), block.values, 1, packed};
    clear_lanes(keys, std::int32_t(plan_.walk.block) / builder::register_rows);
    write_scores({queries_.buffer, queries, 1, packed}, keys);
    const registers::ScalarReg last_seen =
        b_.op(Op::s_add, b_.op(Op::s_mul, block_, plan_.block_queries()), std::int32_t(plan_.problem.cached));
    code_.hide_later_keys({block.begin, last_seen});
    code_.weigh(block.begin);
    const registers::ScalarReg visible =
        b_.op(Op::s_min, b_.op(Op::s_sub, block.limit, block.begin), std::int32_t(plan_.walk.block));
    clear_hidden_values(b_, {values.buffer, values.base, packed, std::int32_t(plan_.walk.block)}, visible);
    write_sums(values);
    stream_.finish();
  }

  /// scores = queries keys^T. Each unit has tiles of keys of its own.
  void write_scores(const builder::MatrixOperand& queries, const builder::MatrixOperand& keys) const {
    const std::int32_t tile = builder::rows_of_tile(queries.packed);
    const std::int32_t row = plan_.key_tiles() * builder::register_rows, columns = plan_.units;
    builder::MatrixPass pass;
    pass.grid = {1, columns};
    pass.lhs = queries;
    pass.weights = keys;
    pass.sums = {buffers_.scores.buffer, b_.constant(buffers_.scores.row), 1, false};
    pass.transposed_weights = true;
    for (std::int32_t j = 0; j < plan_.step_registers; ++j) {
      pass.lhs_offsets.push_back(j * tile);
      pass.sums_offsets.push_back(j * row);
    }
    pass.weights_register_offset = tile;
    pass.weights_column_offset = builder::weight_registers * tile;
    pass.sums_column_offset = builder::register_rows;
    const std::int32_t registers = plan_.step_registers;
    pass.dimensions = {{plan_.row_steps, 1, registers * tile, 0, registers * row},
                       {plan_.key_tiles() / columns, 1, 0, columns * builder::weight_registers * tile,
                        columns * builder::register_rows}};
    builder::write_matrix_pass(b_, pass);
  }

  /// sums += weights values. The units have the same values and share the queries.
  void write_sums(const builder::MatrixOperand& values) const {
    const std::int32_t tile = builder::rows_of_tile(values.packed);
    const std::int32_t row = plan_.key_tiles() * builder::register_rows;
    builder::MatrixPass pass;
    pass.grid = {plan_.units, 1};
    pass.lhs = {buffers_.scores.buffer, b_.constant(buffers_.scores.row), 1, false};
    pass.weights = values;
    pass.sums = {buffers_.sums.buffer, b_.constant(buffers_.sums.row), 1, false};
    for (std::int32_t j = 0; j < plan_.step_registers; ++j) {
      pass.lhs_offsets.push_back(j * row);
      pass.sums_offsets.push_back(j * builder::register_rows);
    }
    pass.weights_register_offset = tile;
    const std::int32_t registers = plan_.step_registers;
    pass.dimensions = {{plan_.key_tiles(), 1, builder::register_rows, builder::weight_registers * tile, 0, true},
                       {plan_.row_steps, 1, registers * row, 0, registers * builder::register_rows}};
    pass.sums_before = 1;
    builder::write_matrix_pass(b_, pass);
  }

  void write_result() const {
    const registers::ScalarReg half = b_.op(Op::s_and, number_, 1);
    b_.mark("store");
    b_.sync_wait(b_.op(Op::s_add, half, flash_result_flag), b_.op(Op::s_shr, number_, 1));
    const registers::ScalarReg row = b_.op(Op::s_add, b_.op(Op::s_mul, half, std::int32_t(state_rows())), results_.row);
    code_.divide(row, results_.buffer);
    const Piece written = piece(head_, block_, builder::register_words);
    const registers::ScalarReg descriptor = descriptor_of_half(written_, half);
    b_.store_smem(descriptor, descriptor_destination, b_.op(Op::s_add, written.begin, std::int32_t(result_address_)));
    b_.store_smem(descriptor, descriptor_length, written.words);
    b_.dma(descriptor);
  }

  builder::KernelBuilder& b_;
  const FlashPlan& plan_;
  builder::KernelBuilder::VmemBuffer queries_, results_;
  FlashBuffers buffers_;
  KeyStream stream_;
  std::int32_t trips_, read_ = 0, written_ = 0;
  std::uint32_t query_address_, result_address_;
  FlashCode code_;
  registers::ScalarReg head_, block_, number_;
};

/// Work of the tile level.
class FlashWork {
 public:
  FlashWork(const hw::Machine& machine, const FlashPlan& plan) : plan_(plan) {
    const auto state = [&](builder::KernelBuilder& b) {
      FlashBuffers buffers;
      for (auto* array : {&buffers.scores, &buffers.sums, &buffers.maxima, &buffers.totals}) *array = b.vmem_rows(64);
      return buffers;
    };
    hide_ = builder::repeated_work(machine, [&](builder::KernelBuilder& b, std::int64_t repeats) {
      const FlashCode code(b, plan, state(b));
      const registers::VectorReg beyond = b.lane_numbers();
      for (std::int64_t i = 0; i < repeats; ++i) code.hide(b.constant(std::int32_t(i)), beyond);
    });
    weigh_ = builder::repeated_work(machine, [&](builder::KernelBuilder& b, std::int64_t repeats) {
      const FlashCode code(b, plan, state(b));
      const registers::MaskReg begun = b.mask();
      b.assign_splat(begun, 1);
      for (std::int64_t i = 0; i < repeats; ++i) code.weigh(b.constant(std::int32_t(i)), b.constant(0), begun);
    });
  }

  /// Phases of a block of keys, for a block of queries of which the first sees `seen` keys.
  std::vector<hw::TilePhase> phases(std::int64_t begin, std::int64_t keys, std::int64_t seen, bool first,
                                    bool last) const {
    std::vector<hw::TilePhase> phases;
    const std::int32_t registers = plan_.block_registers();
    if (first && padded()) phases.push_back(cleared(registers));
    if (padded()) phases.push_back(cleared(std::int32_t(plan_.walk.block) / builder::register_rows));
    phases.push_back(scores());
    phases.push_back(builder::times(begin + plan_.walk.block > seen ? registers : 1, hide_));
    for (const hw::TilePhase& phase : builder::loop_phases(registers, weigh_)) phases.push_back(phase);
    if (keys < plan_.walk.block) phases.push_back(hidden_values(plan_.walk.block - keys));
    phases.push_back(sums());
    if (last) {
      hw::TilePhase divide(hw::VectorWork{.loads = 2, .stores = 1, .alu_ops = 2, .transcendentals = 1});
      divide.of<hw::CrossLane>().operations = 1;
      phases.push_back(builder::times(registers, divide));
    }
    return phases;
  }

 private:
  bool padded() const { return plan_.problem.depth < builder::register_lanes; }
  static hw::TilePhase cleared(std::int64_t tiles) {
    return hw::TilePhase(hw::VectorWork{.loads = tiles, .stores = tiles});
  }
  hw::TilePhase hidden_values(std::int64_t keys) const {
    const std::int64_t pairs = base::divide_round_up(keys, std::int64_t(2 * builder::register_rows));
    hw::VectorWork work{.loads = 2, .stores = 2, .alu_ops = 5};
    if (plan_.problem.packed) work = {.loads = 1, .stores = 1, .alu_ops = 8};
    return builder::times(pairs, hw::TilePhase(work));
  }
  hw::TilePhase scores() const {
    hw::TilePhase phase;
    const std::int64_t tiles = std::int64_t(plan_.row_steps) * plan_.key_tiles();
    const std::int64_t operands = plan_.step_registers / plan_.units + builder::weight_registers;
    // Transposed weights need the time of 32 registers to enter.
    phase.of<hw::Mxu>() = {
        .weight_tiles = tiles,
        .rows = std::max(plan_.step_registers, 2 * builder::weight_registers) * builder::register_rows};
    phase.of<hw::Vector>() = {0, tiles * plan_.step_registers, plan_.problem.packed ? tiles * operands : 0, 0};
    return phase;
  }
  hw::TilePhase sums() const {
    hw::TilePhase phase;
    const std::int64_t steps = std::int64_t(plan_.row_steps) * plan_.key_tiles();
    const std::int64_t registers = plan_.step_registers;
    phase.of<hw::Mxu>() = {.weight_tiles = steps * plan_.units,
                           .rows = registers / plan_.units * builder::register_rows};
    const std::int64_t unpacked = plan_.problem.packed ? builder::weight_registers : 0;
    phase.of<hw::Vector>() = {steps * registers, steps * registers, steps * (registers + unpacked), 0};
    return phase;
  }

  const FlashPlan& plan_;
  hw::TilePhase hide_, weigh_;
};

hw::TileOp flash_tile_op(const hw::Machine& machine, const FlashPlan& plan, const Kernel& kernel) {
  const FlashWork work(machine, plan);
  hw::TileOp op{kernel.name, {}, base::Bytes(plan.vmem_rows() * builder::vmem_row_bytes)};
  plan.walk.for_each([&](std::int32_t, std::int32_t middle, std::int64_t begin, std::int64_t keys) {
    const std::int32_t block = middle % plan.query_blocks();
    const std::int64_t seen = plan.problem.cached + std::int64_t(block) * plan.block_queries() + 1;
    const bool first = begin == 0, last = begin + keys == plan.walk.limit(0, middle);
    hw::TileWork tile{KeyStream::transfers(plan.cache, keys), work.phases(begin, keys, seen, first, last), {}};
    const std::int64_t registers = plan.registers_of(block);
    if (first) tile.reads.push_back({base::Bytes(registers * plan.cache.tile_words() * 4)});
    if (last) tile.writes.push_back({base::Bytes(registers * builder::register_words * 4)});
    if (!op.runs.empty() && op.runs.back().work == tile) {
      ++op.runs.back().count;
    } else {
      op.runs.push_back({1, std::move(tile)});
    }
  });
  return op;
}

Kernel build_flash(const TargetMachine& machine, const KernelArguments& arguments) {
  const PrefillProblem problem = prefill_problem(arguments);
  Kernel kernel;
  kernel.name = kernel_name(flash_attention_family(), arguments);
  ArrayAllocator arrays(machine);
  kernel.inputs.push_back(arrays.place("queries", problem.query_shape()));
  kernel.inputs.push_back(arrays.place("keys", problem.cache_shape()));
  kernel.inputs.push_back(arrays.place("values", problem.cache_shape()));
  kernel.inputs.back().infinities = false;
  kernel.outputs.push_back(arrays.place("result", problem.result_shape()));
  FlashPlan plan = flash_plan(machine, problem);
  plan.cache.keys = kernel.inputs[1].address;
  plan.cache.values = kernel.inputs[2].address;
  kernel.reference = prefill_graph(problem, plan.block_queries(), true);
  kernel.op = prefill_graph(problem, plan.block_queries(), false);
  // A matrix unit adds 128 products in order, and the sums of key tiles are added in order; a block of keys decays them
  // with two roundings and an exponential of four steps; totals end with seven levels of lanes and a division.
  kernel.rounding_steps =
      double(builder::register_lanes + base::divide_round_up(problem.keys(), std::int64_t(builder::register_lanes)) +
             6 * base::divide_round_up(problem.keys(), plan.walk.block) + 16);
  builder::KernelBuilder builder(machine, kernel.name);
  FlashWriter(builder, plan, kernel).write();
  kernel.program = std::move(builder).finish();
  kernel.tile_op = flash_tile_op(machine, plan, kernel);
  kernel.passes = fmt::format(
      "blocks of {} queries by {} keys; reads queries once, keys and values once per block of "
      "queries that sees them; writes results once",
      plan.block_queries(), plan.walk.block);
  return kernel;
}

}  // namespace

KernelFamily flash_attention_family() {
  constexpr std::int64_t most = 1 << 20;
  return {"flash_attention",
          "causal attention of a chunk of tokens to itself and to those before it",
          {{"heads", "query heads", {}, 1, most, "4"},
           {"key-heads",
            "heads of keys and values, each for a group of query heads; 0: as many as heads",
            {},
            0,
            most,
            "0"},
           {"head-dim", "elements of a head", {}, 1, builder::register_lanes, "128"},
           {"queries", "tokens of the chunk", {}, 1, most, "256"},
           {"cached", "tokens before the chunk", {}, 0, most, "0"},
           choice_parameter("dtype", "of queries, keys and values; results are f32", {"f32", "bf16"})},
          build_flash};
}

}  // namespace podsim::sw::codegen::families::attention
