// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/stream_kernel.h"

#include <algorithm>
#include <vector>

#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/kernel_array.h"
#include "sw/codegen/families/register_stream.h"

namespace podsim::sw::codegen::families::stream {

using Op = hw::isa::Opcode;

namespace {

std::int64_t tiles_of(const KernelArray& array) {
  return std::int64_t(array_words(array.shape)) / builder::tile_words(array.shape.element_type);
}

class StreamBuilder {
 public:
  StreamBuilder(const TargetMachine& machine, const Kernel& kernel, const StreamWork& work)
      : machine_(machine), kernel_(kernel), work_(work), total_(tiles_of(kernel.outputs[0])) {
    for (const KernelArray& input : kernel.inputs) types_.push_back(input.shape.element_type);
    types_.push_back(kernel.outputs[0].shape.element_type);
  }

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    const std::int64_t pairs = base::divide_round_up(total_, 2);
    for (std::int64_t parts : part_counts(pairs)) plans.push_back(plan(base::divide_round_up(pairs, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    hw::VectorWork pair = work_.work;
    for (std::size_t i = 0; i + 1 < types_.size(); ++i) pair = builder::sum(pair, builder::load_pair_work(types_[i]));
    pair = builder::sum(pair, builder::store_pair_work(types_.back()));
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector{hw::TilePhase(builder::times(pairs(plan), pair))};
    });
  }

  hw::isa::Program program(const builder::TilePlan* plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      builder::TileLoop loop(builder, *plan);
      loop.run([&](const builder::TileLoop::Tile& tile) { write_tile(builder, *plan, tile); });
    }
    return std::move(builder).finish();
  }

 private:
  builder::TilePlan plan(std::int64_t pairs) const {
    builder::TilePlan plan;
    plan.counts = {base::divide_round_up(total_, 2 * pairs)};
    const auto add = [&](const KernelArray& array, builder::TileRole role) {
      plan.streams.push_back(register_stream(array, role, 2 * pairs, total_));
    };
    for (const KernelArray& input : kernel_.inputs) add(input, builder::TileRole::input);
    add(kernel_.outputs[0], builder::TileRole::output);
    return plan;
  }

  /// Writes the code, which is the same for all tiles. Data after the end of the last tile are computed too, but stay
  /// in VMEM.
  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan,
                  const builder::TileLoop::Tile& tile) const {
    std::vector<registers::RowAddress> at;
    registers::LoopOptions options{registers::LoopSchedule::pipelined, {}};
    for (int i = 0; i < int(plan.streams.size()); ++i) {
      at.push_back({builder.op(Op::s_add, tile.row(i), 0), 0, tile.buffer(i)});
      options.independent_buffers.push_back(tile.buffer(i));
    }
    builder.loop(std::int32_t(pairs(plan)), options, [&] {
      write_pair(builder, at);
      for (std::size_t i = 0; i < at.size(); ++i) {
        builder.assign(at[i].base, Op::s_add, at[i].base, std::int32_t(2 * builder::tile_rows(types_[i])));
      }
    });
  }

  void write_pair(builder::KernelBuilder& builder, const std::vector<registers::RowAddress>& at) const {
    std::vector<builder::TilePair> inputs;
    for (std::size_t i = 0; i + 1 < at.size(); ++i) inputs.push_back(builder::load_pair(builder, types_[i], at[i]));
    builder::store_pair(builder, types_.back(), at.back(), work_.code(builder, inputs));
  }

  std::int64_t pairs(const builder::TilePlan& plan) const {
    return plan.streams[0].vmem_rows / (2 * builder::tile_rows(types_[0]));
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  const StreamWork& work_;
  std::int64_t total_;                   ///< number of 8 x 128 tiles
  std::vector<hlo::ElementType> types_;  ///< types of the inputs, then of the output
};

}  // namespace

void build_stream(const TargetMachine& machine, Kernel& kernel, const StreamWork& work) {
  const StreamBuilder stream(machine, kernel, work);
  build_compiled(machine, kernel, stream.plans(), stream);
}

}  // namespace podsim::sw::codegen::families::stream
