// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/stream_kernel.h"

#include <algorithm>
#include <vector>

#include "sw/kernels/kernel_array.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

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

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    const std::int64_t pairs = base::divide_round_up(total_, 2);
    for (std::int64_t parts : part_counts(pairs)) plans.push_back(plan(base::divide_round_up(pairs, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    hw::VectorWork pair = work_.work;
    for (std::size_t i = 0; i + 1 < types_.size(); ++i) pair = sum(pair, load_pair_work(types_[i]));
    pair = sum(pair, store_pair_work(types_.back()));
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector<hw::TilePhase>{{{}, times(pairs(plan), pair), 0}};
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
  TilePlan plan(std::int64_t pairs) const {
    TilePlan plan;
    plan.counts = {base::divide_round_up(total_, 2 * pairs)};
    const auto add = [&](const KernelArray& array, TileRole role) {
      const ElementType type = array.shape.element_type;
      TileStream stream;
      stream.name = array.name;
      stream.role = role;
      stream.address = array.address;
      stream.rows = TileWindow::whole(1);
      stream.words = TileWindow::cut(0, 2 * pairs * tile_words(type), total_ * tile_words(type));
      stream.vmem_rows = 2 * pairs * tile_rows(type);
      plan.streams.push_back(std::move(stream));
    };
    for (const KernelArray& input : kernel_.inputs) add(input, TileRole::input);
    add(kernel_.outputs[0], TileRole::output);
    return plan;
  }

  /// All tiles take the same code: what lies behind the words of the last is computed as well, and stays in VMEM.
  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile) const {
    std::vector<RowAddress> at;
    LoopOptions options{LoopSchedule::pipelined, {}};
    for (int i = 0; i < int(plan.streams.size()); ++i) {
      at.push_back({builder.op(Op::s_add, tile.row(i), 0), 0, tile.buffer(i)});
      options.independent_buffers.push_back(tile.buffer(i));
    }
    builder.loop(std::int32_t(pairs(plan)), options, [&] {
      write_pair(builder, at);
      for (std::size_t i = 0; i < at.size(); ++i) {
        builder.assign(at[i].base, Op::s_add, at[i].base, std::int32_t(2 * tile_rows(types_[i])));
      }
    });
  }

  void write_pair(KernelBuilder& builder, const std::vector<RowAddress>& at) const {
    std::vector<TilePair> inputs;
    for (std::size_t i = 0; i + 1 < at.size(); ++i) inputs.push_back(load_pair(builder, types_[i], at[i]));
    store_pair(builder, types_.back(), at.back(), work_.code(builder, inputs));
  }

  std::int64_t pairs(const TilePlan& plan) const { return plan.streams[0].vmem_rows / (2 * tile_rows(types_[0])); }

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
