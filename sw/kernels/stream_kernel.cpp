// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/stream_kernel.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "sw/kernels/kernel_array.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

/// Pairs of 8 x 128 tiles in an iteration of the loop, so that its branch costs each register a cycle. A power of two.
constexpr std::int64_t unroll = 4;

std::int64_t tiles_of(const KernelArray& array) {
  return std::int64_t(array_words(array.shape)) / tile_words(array.shape.element_type);
}

class StreamBuilder {
 public:
  StreamBuilder(const hw::Machine& machine, const Kernel& kernel, const StreamWork& work)
      : machine_(machine), kernel_(kernel), work_(work), total_(tiles_of(kernel.outputs[0])) {
    for (const KernelArray& input : kernel.inputs) types_.push_back(input.shape.element_type);
    types_.push_back(kernel.outputs[0].shape.element_type);
  }

  /// Plans with larger and larger tiles, cut as evenly as they can be.
  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    const std::int64_t iterations = base::divide_round_up(total_, 2 * unroll);
    for (std::int64_t parts : part_counts(iterations)) plans.push_back(plan(base::divide_round_up(iterations, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    hw::VectorWork pair = work_.work;
    for (std::size_t i = 0; i + 1 < types_.size(); ++i) pair = sum(pair, load_pair_work(types_[i]));
    pair = sum(pair, store_pair_work(types_.back()));
    const TileWindow window = plan.streams[0].words;
    const std::int64_t words = iteration_words(types_[0]);
    return make_tile_op(plan, kernel_.name, [=](std::span<const std::int64_t> indices) {
      const std::int64_t length = window.end(indices[0]) - window.begin(indices[0]);
      return std::vector<hw::TilePhase>{{{}, times(unroll * base::divide_round_up(length, words), pair), 0}};
    });
  }

  hw::isa::Program program(const TilePlan* plan) const {
    KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      TileLoop loop(builder, *plan);
      loop.run([&](const TileLoop::Tile& tile) { write_tile(builder, *plan, tile); });
    }
    return std::move(builder).finish();
  }

 private:
  static std::int64_t iteration_words(ElementType type) { return 2 * unroll * tile_words(type); }
  static std::int64_t iteration_rows(ElementType type) { return 2 * unroll * tile_rows(type); }

  TilePlan plan(std::int64_t iterations) const {
    TilePlan plan;
    plan.counts = {base::divide_round_up(total_, 2 * unroll * iterations)};
    const auto add = [&](const KernelArray& array, TileRole role) {
      const ElementType type = array.shape.element_type;
      TileStream stream;
      stream.name = array.name;
      stream.role = role;
      stream.address = array.address;
      stream.rows = TileWindow::whole(1);
      stream.words = TileWindow::cut(0, iterations * iteration_words(type), total_ * tile_words(type));
      stream.vmem_rows = iterations * iteration_rows(type);
      plan.streams.push_back(std::move(stream));
    };
    for (const KernelArray& input : kernel_.inputs) add(input, TileRole::input);
    add(kernel_.outputs[0], TileRole::output);
    return plan;
  }

  /// The last iteration may compute on what lies behind the tile's words; nothing of that leaves VMEM.
  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile) const {
    std::vector<RowAddress> at;
    LoopOptions options{LoopSchedule::pipelined, {}};
    for (int i = 0; i < int(plan.streams.size()); ++i) {
      at.push_back({builder.op(Op::s_add, tile.row(i), 0), 0, tile.buffer(i)});
      options.independent_buffers.push_back(tile.buffer(i));
    }
    builder.loop(iterations(builder, plan.streams[0].words, tile), options, [&] {
      for (int i = 0; i < unroll; ++i) write_pair(builder, at, i);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t rows = iteration_rows(types_[i]);
        builder.assign(at[i].base, Op::s_add, at[i].base, std::int32_t(rows));
      }
    });
  }

  void write_pair(KernelBuilder& builder, std::vector<RowAddress> at, int number) const {
    std::vector<TilePair> inputs;
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i].offset = std::int32_t(2 * number * tile_rows(types_[i]));
      if (i + 1 < at.size()) {
        inputs.push_back(load_pair(builder, types_[i], at[i]));
      } else {
        store_pair(builder, types_[i], at[i], work_.code(builder, inputs));
      }
    }
  }

  ScalarOperand iterations(KernelBuilder& builder, const TileWindow& window, const TileLoop::Tile& tile) const {
    const std::int32_t words = std::int32_t(iteration_words(types_[0]));
    const ScalarOperand length = tile.length(window);
    if (length.literal) return (length.value + words - 1) / words;
    const ScalarReg rounded = builder.op(Op::s_add, ScalarReg{length.value}, words - 1);
    return builder.op(Op::s_shr, rounded, std::bit_width(std::uint32_t(words)) - 1);
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  const StreamWork& work_;
  std::int64_t total_;              ///< 8 x 128 tiles
  std::vector<ElementType> types_;  ///< of the inputs and the output
};

}  // namespace

void build_stream(const hw::Machine& machine, Kernel& kernel, const StreamWork& work) {
  const StreamBuilder stream(machine, kernel, work);
  build_fastest(machine, kernel, stream.plans(), stream);
}

}  // namespace podsim::sw
