// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/constant_kernel.h"

#include <utility>
#include <vector>

#include "sw/kernels/plan_search.h"
#include "sw/kernels/row_loop.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

namespace {

constexpr std::int64_t register_words = 1024;
constexpr std::int32_t register_rows = 8;

class ConstantBuilder {
 public:
  ConstantBuilder(const hw::Machine& machine, const Kernel& kernel, float value)
      : machine_(machine), kernel_(kernel), value_(value), words_(std::int64_t(array_words(kernel.outputs[0].shape))) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    const std::int64_t units = base::divide_round_up(words_, register_words);
    for (std::int64_t parts : part_counts(units)) plans.push_back(plan(base::divide_round_up(units, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector<hw::TilePhase>{{{}, {.stores = plan.streams[0].vmem_rows / register_rows}, 0}};
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
  TilePlan plan(std::int64_t units) const {
    TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = TileWindow::whole(1);
    output.words = TileWindow::cut(0, units * register_words, words_);
    output.vmem_rows = units * register_rows;
    return {.counts = {base::divide_round_up(words_, output.words.length)}, .streams = {output}};
  }

  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile) const {
    const VectorReg value = builder.unary(hw::isa::Opcode::v_mov, value_);
    const RowStream stream{{tile.row(0), 0, tile.buffer(0)}, register_rows};
    const std::int32_t registers = std::int32_t(plan.streams[0].vmem_rows / register_rows);
    write_row_loop(builder, registers, {&stream, 1}, [&](const RowPlace& place) { builder.store(place.at[0], value); });
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  float value_;
  std::int64_t words_;
};

}  // namespace

void build_constant(const hw::Machine& machine, Kernel& kernel, float value) {
  const ConstantBuilder code(machine, kernel, value);
  build_fastest(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw
