// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/retile_kernel.h"

#include <bit>
#include <utility>
#include <vector>

#include "sw/kernels/kernel_builder.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t tile_rows = 8, tile_lanes = 128;
/// Registers in an iteration of the loop. A power of two.
constexpr std::int64_t unroll = 8;

class RetileBuilder {
 public:
  RetileBuilder(const hw::Machine& machine, const Kernel& kernel, std::int64_t rows, std::int64_t columns)
      : machine_(machine), kernel_(kernel), rows_(rows), columns_(columns) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    if (rows_ == 0 || columns_ == 0) return plans;
    const std::int64_t iterations = base::divide_round_up(rows_, tile_rows * unroll);
    for (std::int64_t parts : part_counts(iterations)) plans.push_back(plan(base::divide_round_up(iterations, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t> indices) {
      const TileWindow rows = plan.streams[0].rows;
      const std::int64_t length = rows.end(indices[0]) - rows.begin(indices[0]);
      const std::int64_t registers = unroll * base::divide_round_up(length, unroll * rows_per_register(0));
      return std::vector<hw::TilePhase>{{{}, {.loads = registers, .stores = registers}, 0}};
    });
  }

  hw::isa::Program program(const TilePlan* plan) const {
    KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      TileLoop loop(builder, *plan);
      loop.run([&](const TileLoop::Tile& tile) { write_tile(builder, plan->streams[0].rows, tile); });
    }
    return std::move(builder).finish();
  }

 private:
  static bool is_vector(const KernelArray& array) { return array.shape.rank() == 1; }
  /// Rows of the stream's DMA in a register: rows of elements of the vector, rows of tiles of the matrix.
  std::int64_t rows_per_register(int stream) const {
    return is_vector(stream == 0 ? kernel_.inputs[0] : kernel_.outputs[0]) ? tile_rows : 1;
  }

  TilePlan plan(std::int64_t iterations) const {
    const std::int64_t rows = iterations * unroll * tile_rows;
    const std::int64_t lane_tiles = base::divide_round_up(columns_, tile_lanes);
    const auto stream = [&](const KernelArray& array, TileRole role) {
      TileStream made;
      made.name = array.name;
      made.role = role;
      made.address = array.address;
      if (is_vector(array)) {
        made.rows = TileWindow::cut(0, rows, rows_);
        made.words = TileWindow::cut(1, tile_lanes, columns_);
        made.vmem_stride = tile_lanes;
      } else {
        made.rows = TileWindow::cut(0, rows / tile_rows, base::divide_round_up(rows_, tile_rows));
        made.words = TileWindow::cut(1, tile_rows * tile_lanes, tile_rows * tile_lanes * lane_tiles);
        made.vmem_stride = tile_rows * tile_lanes;
      }
      made.hbm_stride = made.words.total;
      made.vmem_rows = rows;
      return made;
    };
    return {.counts = {base::divide_round_up(rows_, rows), lane_tiles},
            .streams = {stream(kernel_.inputs[0], TileRole::input), stream(kernel_.outputs[0], TileRole::output)}};
  }

  void write_tile(KernelBuilder& builder, const TileWindow& rows, const TileLoop::Tile& tile) const {
    RowAddress from{builder.op(Op::s_add, tile.row(0), 0), 0, tile.buffer(0)};
    RowAddress to{builder.op(Op::s_add, tile.row(1), 0), 0, tile.buffer(1)};
    builder.loop(iterations(builder, rows, tile), {LoopSchedule::pipelined, {from.buffer, to.buffer}}, [&] {
      for (int i = 0; i < unroll; ++i) {
        from.offset = to.offset = std::int32_t(i * tile_rows);
        builder.store(to, builder.load(from));
      }
      builder.assign(from.base, Op::s_add, from.base, std::int32_t(unroll * tile_rows));
      builder.assign(to.base, Op::s_add, to.base, std::int32_t(unroll * tile_rows));
    });
  }

  ScalarOperand iterations(KernelBuilder& builder, const TileWindow& rows, const TileLoop::Tile& tile) const {
    const std::int32_t per_iteration = std::int32_t(unroll * rows_per_register(0));
    const ScalarOperand length = tile.length(rows);
    if (length.literal) return (length.value + per_iteration - 1) / per_iteration;
    const ScalarReg rounded = builder.op(Op::s_add, ScalarReg{length.value}, per_iteration - 1);
    return builder.op(Op::s_shr, rounded, std::countr_zero(std::uint32_t(per_iteration)));
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  std::int64_t rows_, columns_;
};

}  // namespace

void build_retile(const hw::Machine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns) {
  const RetileBuilder retile(machine, kernel, rows, columns);
  build_fastest(machine, kernel, retile.plans(), retile);
}

}  // namespace podsim::sw
