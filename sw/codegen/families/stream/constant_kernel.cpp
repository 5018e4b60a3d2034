// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/constant_kernel.h"

#include <utility>
#include <vector>

#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/row_loop.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"

namespace podsim::sw::codegen::families::stream {

namespace {

class ConstantBuilder {
 public:
  ConstantBuilder(const TargetMachine& machine, const Kernel& kernel, float value)
      : machine_(machine), kernel_(kernel), value_(value), words_(std::int64_t(array_words(kernel.outputs[0].shape))) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    const std::int64_t units = base::divide_round_up(words_, builder::register_words);
    for (std::int64_t parts : part_counts(units)) plans.push_back(plan(base::divide_round_up(units, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector{hw::TilePhase(hw::VectorWork{.stores = plan.streams[0].vmem_rows / builder::register_rows})};
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
  builder::TilePlan plan(std::int64_t units) const {
    builder::TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = builder::TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = builder::TileWindow::whole(1);
    output.words = builder::TileWindow::tiled(0, units * builder::register_words, words_);
    output.vmem_rows = units * builder::register_rows;
    return {.counts = {base::divide_round_up(words_, output.words.length)}, .streams = {output}};
  }

  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan,
                  const builder::TileLoop::Tile& tile) const {
    const registers::VectorReg value = builder.unary(hw::isa::Opcode::v_mov, value_);
    const builder::RowStream stream{{tile.row(0), 0, tile.buffer(0)}, builder::register_rows};
    const std::int32_t registers = std::int32_t(plan.streams[0].vmem_rows / builder::register_rows);
    builder::write_row_loop(builder, registers, {&stream, 1},
                            [&](const builder::RowPosition& position) { builder.store(position.at[0], value); });
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  float value_;
  std::int64_t words_;
};

}  // namespace

void build_constant(const TargetMachine& machine, Kernel& kernel, float value) {
  const ConstantBuilder code(machine, kernel, value);
  build_compiled(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw::codegen::families::stream
