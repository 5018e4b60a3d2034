// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/decode_attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/attention/decode_problem.h"
#include "sw/codegen/families/attention/hidden_values.h"
#include "sw/codegen/families/attention/key_stream.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::attention {

using Op = hw::isa::Opcode;

namespace {

constexpr float lowest = std::numeric_limits<float>::lowest();
constexpr float negative_infinity = -std::numeric_limits<float>::infinity();
/// Registers of 8 keys in an iteration of the loop over keys, which share a maximum.
constexpr std::int32_t chunk_registers = 8;
/// Registers of scores that are masked together.
constexpr std::int32_t scores_of_masks = 4;
constexpr std::int32_t chunk_keys = chunk_registers * builder::register_rows;
/// Largest block of keys. The code between two blocks, 600 cycles, is hidden behind the reads of this many.
constexpr std::int64_t most_keys = 2048;
constexpr std::int32_t query_flag = 0, result_flag = 1, key_flag = 2;
/// VMEM rows of the state of a head: a register each for the maximum, the sum, and the weighted values.
constexpr std::int32_t total_row = 8, values_row = 16, state_rows = 24;

struct DecodePlan {
  DecodeProblem problem;
  KeyCache cache;
  KeyWalk walk;

  std::int64_t head_rows() const { return base::round_up(problem.heads, std::int64_t(builder::register_rows)); }
  std::int64_t query_rows() const { return problem.sequences * head_rows(); }
  std::int64_t vmem_rows() const {
    return 2 * query_rows() + problem.heads * state_rows + KeyStream::vmem_rows(cache, walk.block);
  }
  std::int64_t blocks(std::int32_t sequence) const {
    return base::divide_round_up(std::int64_t(walk.limit(sequence, 0)), walk.block);
  }
  std::int32_t chunks() const { return std::int32_t(walk.block / chunk_keys); }
  /// True if some block is not full.
  bool masked() const {
    return std::ranges::any_of(walk.limits, [&](std::int32_t limit) { return limit % walk.block != 0; });
  }
};

/// Chooses the largest blocks that are equal parts of the longest sequence, at most `most_keys` and a quarter of VMEM.
std::int64_t key_block(const DecodeProblem& problem, const KeyCache& cache, base::Bytes vmem) {
  const std::int64_t unit = std::max<std::int64_t>(chunk_keys, problem.page);
  const std::int64_t bytes_of_unit = KeyStream::vmem_rows(cache, unit) * builder::vmem_row_bytes;
  const std::int64_t most = std::clamp<std::int64_t>(vmem.value() / 4 / bytes_of_unit, 1, most_keys / unit);
  const std::int64_t units = base::divide_round_up(problem.longest(), unit);
  return unit * base::divide_round_up(units, base::divide_round_up(units, most));
}

DecodePlan decode_plan(const DecodeProblem& problem, const Kernel& kernel, base::Bytes vmem) {
  DecodePlan plan{problem, {}, {}};
  KeyCache& cache = plan.cache;
  cache.keys = kernel.inputs[1].address;
  cache.values = kernel.inputs[2].address;
  cache.packed = problem.packed;
  const std::int64_t plane = problem.page > 0 ? problem.page : problem.longest();
  cache.plane_words = base::divide_round_up(plane, std::int64_t(builder::register_rows)) * cache.tile_words();
  cache.page = problem.page;
  cache.pages = problem.pages;
  cache.page_table = problem.page_table;
  KeyWalk& walk = plan.walk;
  walk.outer = std::int32_t(problem.sequences);
  walk.middle = std::int32_t(problem.key_heads);
  walk.plane_of_outer = problem.page > 0 ? 0 : walk.middle;
  walk.plane_of_middle = 1;
  walk.limits = problem.lengths;
  walk.block = key_block(problem, cache, vmem);
  return plan;
}

/// Code on the chunks of a block and on the states of heads.
class DecodeCode {
 public:
  DecodeCode(builder::KernelBuilder& builder, const DecodePlan& plan)
      : b_(builder), plan_(plan), units_(int(builder.machine().mxu.count)) {
    scale_ = float(1 / std::sqrt(double(plan.problem.depth)));
    if (plan.problem.depth < builder::register_lanes) {
      lanes_ =
          b_.compare(Op::v_lt_s32, b_.lane_numbers(), registers::VectorOperand::bits(std::int32_t(plan.problem.depth)));
    }
  }

  struct State {
    registers::VectorReg maximum, total, values;
  };
  struct Chunk {
    registers::RowAddress keys, values;
    std::optional<registers::VectorReg> left;  ///< visible keys from each sublane of the first register on
  };

  /// Makes the query at this VMEM row all columns of the weights.
  void latch_query(registers::RowAddress at) const {
    at.stride = 0;
    const registers::VectorReg query = b_.load(at, lanes_);
    for (int unit = 0; unit < units_; ++unit) {
      for (int j = 0; j < builder::weight_registers; ++j) b_.push_weights_transposed(unit, query);
      b_.latch(unit);
    }
  }

  void attend(const Chunk& chunk, const State& state) const {
    const std::vector<registers::VectorReg> scores = scores_of(chunk);
    registers::VectorReg most = state.maximum;
    for (const registers::VectorReg& score : scores) most = b_.op(Op::v_max_f32, most, score);
    const registers::VectorReg decay = weight(state.maximum, most);
    std::vector<registers::VectorReg> weights;
    for (const registers::VectorReg& score : scores) weights.push_back(weight(score, most));
    b_.assign(state.maximum, Op::v_mov, {}, most);
    b_.assign(state.total, Op::v_mul_f32, state.total, decay);
    b_.assign(state.values, Op::v_mul_f32, state.values, decay);
    b_.assign(state.total, Op::v_add_f32, state.total, sum(weights));
    std::vector<registers::VectorReg> products = load(chunk.values, {});
    for (std::int32_t i = 0; i < chunk_registers; ++i) {
      products[std::size_t(i)] = b_.op(Op::v_mul_f32, products[std::size_t(i)], weights[std::size_t(i)]);
    }
    b_.assign(state.values, Op::v_add_f32, state.values, sum(products));
  }

  /// Combines the sublanes of a state: the result of a head, in every sublane.
  registers::VectorReg result(const State& state) const {
    const registers::VectorReg most = b_.cross_lane(Op::x_max_sublanes, state.maximum);
    const registers::VectorReg decay = weight(state.maximum, most);
    const registers::VectorReg total = b_.cross_lane(Op::x_sum_sublanes, b_.op(Op::v_mul_f32, state.total, decay));
    const registers::VectorReg values = b_.cross_lane(Op::x_sum_sublanes, b_.op(Op::v_mul_f32, state.values, decay));
    return b_.op(Op::v_mul_f32, values, b_.transcendental(Op::e_recip, total));
  }

 private:
  /// exp((score - most) / sqrt(depth))
  registers::VectorReg weight(registers::VectorReg score, registers::VectorReg most) const {
    return b_.transcendental(Op::e_exp, b_.op(Op::v_mul_f32, b_.op(Op::v_sub_f32, score, most), scale_));
  }

  registers::VectorReg sum(const std::vector<registers::VectorReg>& terms) const {
    registers::VectorReg all = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i) all = b_.op(Op::v_add_f32, all, terms[i]);
    return all;
  }

  /// Gives hidden keys the score of minus infinity. The masks of four registers depend on the last one's score, without
  /// changing with it: otherwise a pipelined loop makes them long before the scores, and mask registers run short.
  void hide(registers::VectorReg left, const std::vector<registers::VectorReg>& scores) const {
    for (std::int32_t first = 0; first < chunk_registers; first += scores_of_masks) {
      const registers::VectorReg last = scores[std::size_t(first + scores_of_masks - 1)];
      const registers::VectorReg late =
          b_.op(Op::v_add_s32, left, b_.op(Op::v_and, last, registers::VectorOperand::bits(0)));
      for (std::int32_t i = first; i < first + scores_of_masks; ++i) {
        const registers::MaskReg hidden =
            b_.compare(Op::v_le_s32, late, registers::VectorOperand::bits(i * builder::register_rows));
        b_.assign(scores[std::size_t(i)], Op::v_mov, {}, negative_infinity, hidden);
      }
    }
  }

  std::vector<registers::VectorReg> load(registers::RowAddress at, registers::MaskReg lanes) const {
    std::vector<registers::VectorReg> loaded;
    for (std::int32_t i = 0; i < chunk_registers; i += plan_.cache.packed ? 2 : 1) {
      const registers::VectorReg words = b_.load(at, lanes);
      at.offset += builder::register_rows;
      if (plan_.cache.packed) {
        loaded.push_back(b_.unary(Op::v_unpack_lo, words));
        loaded.push_back(b_.unary(Op::v_unpack_hi, words));
      } else {
        loaded.push_back(words);
      }
    }
    return loaded;
  }

  std::vector<registers::VectorReg> scores_of(const Chunk& chunk) const {
    int unit = 0;
    for (const registers::VectorReg& keys : load(chunk.keys, lanes_)) b_.push_lhs(unit++ % units_, keys);
    std::vector<registers::VectorReg> scores;
    for (std::int32_t i = 0; i < chunk_registers; ++i) scores.push_back(b_.pop(i % units_));
    if (chunk.left) hide(*chunk.left, scores);
    return scores;
  }

  builder::KernelBuilder& b_;
  const DecodePlan& plan_;
  const int units_;
  float scale_ = 1;
  registers::MaskReg lanes_;
};

class DecodeWriter {
 public:
  DecodeWriter(builder::KernelBuilder& builder, const DecodePlan& plan, const Kernel& kernel)
      : b_(builder),
        plan_(plan),
        queries_(builder.vmem_rows(plan.query_rows())),
        results_(builder.vmem_rows(plan.query_rows())),
        states_(builder.vmem_rows(plan.problem.heads * state_rows)),
        stream_(builder, plan.cache, plan.walk, key_flag),
        trips_(builder.smem_data(trips(), "blocks")),
        read_(builder.descriptor(whole(kernel.inputs[0], queries_, hw::isa::DmaRoute::hbm_to_vmem, query_flag),
                                 "queries")),
        written_(builder.descriptor(whole(kernel.outputs[0], results_, hw::isa::DmaRoute::vmem_to_hbm, result_flag),
                                    "result")) {}

  void write() {
    b_.dma(read_);
    stream_.start();
    const DecodeCode code(b_, plan_);
    b_.sync_wait(query_flag, 1);
    const registers::ScalarReg sequence = b_.constant(0);
    b_.loop(std::int32_t(plan_.problem.sequences), {}, [&] {
      b_.loop(b_.load_smem(sequence, trips_), {}, [&] { write_block(code); });
      write_results(code, sequence);
      b_.assign(sequence, Op::s_add, sequence, 1);
    });
    b_.dma(written_);
    b_.sync_wait(result_flag, 1);
  }

 private:
  std::vector<std::int32_t> trips() const {
    std::vector<std::int32_t> trips;
    for (std::int32_t i = 0; i < plan_.walk.outer; ++i)
      trips.push_back(std::int32_t(plan_.blocks(i) * plan_.problem.key_heads));
    return trips;
  }

  hw::isa::DmaDescriptor whole(const KernelArray& array, const builder::KernelBuilder::VmemBuffer& buffer,
                               hw::isa::DmaRoute route, std::int32_t flag) const {
    const bool input = route == hw::isa::DmaRoute::hbm_to_vmem;
    const auto vmem = std::uint32_t(buffer.row * builder::row_words);
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = route;
    descriptor.flag = std::uint32_t(flag);
    descriptor.source = input ? array.address : vmem;
    descriptor.destination = input ? vmem : array.address;
    descriptor.words = std::uint32_t(plan_.query_rows() * builder::row_words);
    return descriptor;
  }

  void write_block(const DecodeCode& code) {
    const KeyStream::Block block = stream_.wait();
    b_.mark("compute");
    const auto group = std::int32_t(plan_.problem.group());
    const registers::ScalarReg head = b_.op(Op::s_mul, block.middle, group);
    const registers::ScalarReg query = b_.op(Op::s_add, b_.op(Op::s_mul, block.outer, std::int32_t(plan_.head_rows())),
                                             b_.op(Op::s_add, head, queries_.row));
    const registers::ScalarReg state = b_.op(Op::s_add, b_.op(Op::s_mul, head, state_rows), states_.row);
    if (plan_.masked()) {
      clear_hidden_values(b_,
                          {stream_.values_buffer(), block.values, plan_.cache.packed, std::int32_t(plan_.walk.block)},
                          b_.op(Op::s_sub, block.limit, block.begin));
    }
    b_.loop(group, {}, [&] {
      write_head(code, block, query, state);
      b_.assign(query, Op::s_add, query, 1);
      b_.assign(state, Op::s_add, state, state_rows);
    });
    stream_.finish();
  }

  /// Attends to a block by one head, whose query is at the row `query`.
  void write_head(const DecodeCode& code, const KeyStream::Block& block, registers::ScalarReg query,
                  registers::ScalarReg at) {
    code.latch_query({query, 0, queries_.buffer});
    const DecodeCode::State state = begun_state(at, block.begin);
    DecodeCode::Chunk chunk{{b_.op(Op::s_add, block.keys, 0), 0, stream_.keys_buffer()},
                            {b_.op(Op::s_add, block.values, 0), 0, stream_.values_buffer()},
                            {}};
    if (plan_.masked()) {
      chunk.left = b_.op(Op::v_sub_s32, b_.splat(b_.op(Op::s_sub, block.limit, block.begin)), b_.sublane_numbers());
    }
    b_.loop(plan_.chunks(), {registers::LoopSchedule::pipelined, {}}, [&] {
      code.attend(chunk, state);
      const std::int32_t rows = chunk_registers * builder::rows_of_tile(plan_.cache.packed);
      b_.assign(chunk.keys.base, Op::s_add, chunk.keys.base, rows);
      b_.assign(chunk.values.base, Op::s_add, chunk.values.base, rows);
      if (chunk.left) b_.assign(*chunk.left, Op::v_sub_s32, *chunk.left, registers::VectorOperand::bits(chunk_keys));
    });
    b_.store({at, 0, states_.buffer}, state.maximum);
    b_.store({at, total_row, states_.buffer}, state.total);
    b_.store({at, values_row, states_.buffer}, state.values);
  }

  /// The state of a head after the blocks before this one.
  DecodeCode::State begun_state(registers::ScalarReg at, registers::ScalarReg begin) const {
    const registers::MaskReg begun = b_.mask();
    b_.assign_splat(begun, begin);
    const registers::VectorReg maximum = b_.unary(Op::v_mov, lowest);
    b_.assign(maximum, Op::v_mov, {}, b_.load({at, 0, states_.buffer}), begun);
    return {maximum, b_.load({at, total_row, states_.buffer}, begun), b_.load({at, values_row, states_.buffer}, begun)};
  }

  void write_results(const DecodeCode& code, registers::ScalarReg sequence) const {
    const registers::ScalarReg at = b_.constant(states_.row);
    const registers::ScalarReg row =
        b_.op(Op::s_add, b_.op(Op::s_mul, sequence, std::int32_t(plan_.head_rows())), results_.row);
    b_.loop(std::int32_t(plan_.problem.heads), {registers::LoopSchedule::pipelined, {states_.buffer, results_.buffer}},
            [&] {
              const registers::VectorReg result =
                  code.result({b_.load({at, 0, states_.buffer}), b_.load({at, total_row, states_.buffer}),
                               b_.load({at, values_row, states_.buffer})});
              b_.store({row, 0, results_.buffer, 0}, result);
              b_.assign(at, Op::s_add, at, state_rows);
              b_.assign(row, Op::s_add, row, 1);
            });
  }

  builder::KernelBuilder& b_;
  const DecodePlan& plan_;
  builder::KernelBuilder::VmemBuffer queries_, results_, states_;
  KeyStream stream_;
  std::int32_t trips_, read_, written_;
};

/// Work of a block for one head.
std::vector<hw::TilePhase> head_phases(const hw::Machine& machine, const DecodePlan& plan) {
  const hw::TilePhase chunk = builder::repeated_work(machine, [&](builder::KernelBuilder& b, std::int64_t repeats) {
    const DecodeCode code(b, plan);
    const DecodeCode::State state{b.unary(Op::v_mov, 0.0F), b.unary(Op::v_mov, 0.0F), b.unary(Op::v_mov, 0.0F)};
    DecodeCode::Chunk one{{b.constant(0), 0, 0}, {b.constant(0), 0, 1}, {}};
    if (plan.masked()) one.left = b.sublane_numbers();
    code.latch_query({b.constant(0), 0, 2});
    for (std::int64_t i = 0; i < repeats; ++i) code.attend(one, state);
    b.store({b.constant(0), 0, 3}, state.values);
    b.store({b.constant(0), 8, 3}, state.total);
  });
  hw::TilePhase phase = builder::times(plan.chunks(), chunk);
  const std::int64_t units = machine.mxu.count;
  phase.of<hw::Mxu>().weight_tiles = units;
  phase.of<hw::Mxu>().rows = base::divide_round_up(plan.walk.block, units);
  return {phase};
}

hw::TileOp decode_tile_op(const hw::Machine& machine, const DecodePlan& plan, const Kernel& kernel) {
  const std::vector<hw::TilePhase> head = head_phases(machine, plan);
  std::vector<hw::TilePhase> phases;
  for (std::int64_t i = 0; i < plan.problem.group(); ++i) phases.insert(phases.end(), head.begin(), head.end());
  hw::TileOp op{kernel.name, {}, base::Bytes(plan.vmem_rows() * builder::vmem_row_bytes)};
  const hw::TileTransfer whole{base::Bytes(plan.query_rows() * builder::vmem_row_bytes)};
  plan.walk.for_each([&](std::int32_t, std::int32_t, std::int64_t, std::int64_t keys) {
    hw::TileWork work{KeyStream::transfers(plan.cache, keys), phases, {}};
    if (op.runs.empty()) work.reads.insert(work.reads.begin(), whole);
    if (!op.runs.empty() && op.runs.back().work == work) {
      ++op.runs.back().count;
    } else {
      op.runs.push_back({1, std::move(work)});
    }
  });
  hw::TileRun last{1, op.runs.back().work};
  last.work.writes.push_back(whole);
  if (--op.runs.back().count == 0) op.runs.pop_back();
  op.runs.push_back(std::move(last));
  return op;
}

/// Those that have an effect: --cached has none with --lengths.
KernelArguments named_arguments(KernelArguments arguments) {
  if (arguments.numbers("lengths").empty()) {
    arguments.values["cached"] = std::to_string(arguments.number("cached"));
  } else {
    arguments.values.erase("cached");
  }
  return arguments;
}

Kernel build_decode(const TargetMachine& machine, const KernelArguments& arguments) {
  const DecodeProblem problem = decode_problem(arguments);
  Kernel kernel;
  kernel.name = kernel_name(decode_attention_family(), named_arguments(arguments));
  ArrayAllocator arrays(machine);
  kernel.inputs.push_back(arrays.place("queries", problem.query_shape()));
  kernel.inputs.push_back(arrays.place("keys", problem.cache_shape()));
  kernel.inputs.push_back(arrays.place("values", problem.cache_shape()));
  kernel.inputs.back().infinities = false;
  kernel.outputs.push_back(arrays.place("result", problem.query_shape()));
  kernel.reference = decode_graph(problem, true);
  kernel.op = decode_graph(problem, false);
  // A score adds `depth` products. A sublane adds its keys in order and decays its sums once per chunk, with two
  // roundings and an exponential of four steps; the sublanes and the division add three levels and eight steps.
  kernel.rounding_steps = double(problem.depth + base::divide_round_up(problem.longest(), std::int64_t(8)) +
                                 6 * base::divide_round_up(problem.longest(), std::int64_t(chunk_keys)) + 16);
  const DecodePlan plan = decode_plan(problem, kernel, machine.vmem);
  builder::KernelBuilder builder(machine, kernel.name);
  DecodeWriter(builder, plan, kernel).write();
  kernel.program = std::move(builder).finish();
  kernel.tile_op = decode_tile_op(machine, plan, kernel);
  kernel.passes = "one pass: keys and values read once, in blocks of " + std::to_string(plan.walk.block) +
                  " keys; queries and results stay in VMEM";
  return kernel;
}

}  // namespace

KernelFamily decode_attention_family() {
  constexpr std::int64_t most = 1 << 20;
  KernelParameter lengths{"lengths", "cached tokens of each sequence, instead of --cached", {}, 1, most, "equal"};
  lengths.list = true;
  return {"decode_attention",
          "attention of one new token per sequence to its cached keys and values",
          {{"sequences", "sequences of the batch", {}, 1, most, "4"},
           {"heads", "query heads", {}, 1, most, "8"},
           {"key-heads",
            "heads of keys and values, each for a group of query heads; 0: as many as heads",
            {},
            0,
            most,
            "0"},
           {"head-dim", "elements of a head", {}, 1, builder::register_lanes, "128"},
           {"cached", "cached tokens of every sequence", {}, 1, most, preset_cached},
           std::move(lengths),
           choice_parameter("page", "tokens of a page of the cache, found by a block table; none: contiguous",
                            {"none", "8", "16", "32", "64", "128", "256"}),
           choice_parameter("dtype", "of keys and values; queries and results are f32", {"f32", "bf16"})},
          build_decode};
}

}  // namespace podsim::sw::codegen::families::attention
