// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/retile_kernel.h"

#include <utility>
#include <vector>

#include "sw/kernels/kernel_builder.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/row_loop.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

namespace {

constexpr std::int32_t tile_rows = 8, tile_lanes = 128;

class RetileBuilder {
 public:
  RetileBuilder(const hw::Machine& machine, const Kernel& kernel, std::int64_t rows, std::int64_t columns)
      : machine_(machine), kernel_(kernel), rows_(rows), columns_(columns) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    if (rows_ == 0 || columns_ == 0) return plans;
    const std::int64_t row_tiles = base::divide_round_up(rows_, tile_rows);
    for (std::int64_t parts : part_counts(row_tiles)) plans.push_back(plan(base::divide_round_up(row_tiles, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      const std::int64_t registers = plan.streams[0].vmem_rows / tile_rows;
      return std::vector<hw::TilePhase>{{{}, {.loads = registers, .stores = registers}, 0}};
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
  static bool is_vector(const KernelArray& array) { return array.shape.rank() == 1; }
  TilePlan plan(std::int64_t row_tiles) const {
    const std::int64_t rows = row_tiles * tile_rows;
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
        made.rows = TileWindow::cut(0, row_tiles, base::divide_round_up(rows_, tile_rows));
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

  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile) const {
    const RowStream streams[] = {{{tile.row(0), 0, tile.buffer(0)}, tile_rows},
                                 {{tile.row(1), 0, tile.buffer(1)}, tile_rows}};
    write_row_loop(builder, plan.streams[0].vmem_rows / tile_rows, streams,
                   [&](const RowPlace& place) { builder.store(place.at[1], builder.load(place.at[0])); });
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
