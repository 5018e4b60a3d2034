// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/retile_kernel.h"

#include <utility>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/row_loop.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"

namespace podsim::sw::codegen::families::stream {

namespace {

class RetileBuilder {
 public:
  RetileBuilder(const TargetMachine& machine, const Kernel& kernel, std::int64_t rows, std::int64_t columns)
      : machine_(machine), kernel_(kernel), rows_(rows), columns_(columns) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    if (rows_ == 0 || columns_ == 0) return plans;
    const std::int64_t row_tiles = base::divide_round_up(rows_, builder::register_rows);
    for (std::int64_t parts : part_counts(row_tiles)) plans.push_back(plan(base::divide_round_up(row_tiles, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      const std::int64_t registers = plan.streams[0].vmem_rows / builder::register_rows;
      return std::vector{hw::TilePhase(hw::VectorWork{.loads = registers, .stores = registers})};
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
  static bool is_vector(const KernelArray& array) { return array.shape.rank() == 1; }
  builder::TilePlan plan(std::int64_t row_tiles) const {
    const std::int64_t rows = row_tiles * builder::register_rows;
    const std::int64_t lane_tiles = base::divide_round_up(columns_, builder::register_lanes);
    const auto stream = [&](const KernelArray& array, builder::TileRole role) {
      builder::TileStream made;
      made.name = array.name;
      made.role = role;
      made.address = array.address;
      if (is_vector(array)) {
        made.rows = builder::TileWindow::tiled(0, rows, rows_);
        made.words = builder::TileWindow::tiled(1, builder::register_lanes, columns_);
        made.vmem_stride = builder::register_lanes;
      } else {
        made.rows = builder::TileWindow::tiled(0, row_tiles, base::divide_round_up(rows_, builder::register_rows));
        made.words = builder::TileWindow::tiled(1, builder::register_rows * builder::register_lanes,
                                                builder::register_rows * builder::register_lanes * lane_tiles);
        made.vmem_stride = builder::register_rows * builder::register_lanes;
      }
      made.hbm_stride = made.words.total;
      made.vmem_rows = rows;
      return made;
    };
    return {.counts = {base::divide_round_up(rows_, rows), lane_tiles},
            .streams = {stream(kernel_.inputs[0], builder::TileRole::input),
                        stream(kernel_.outputs[0], builder::TileRole::output)}};
  }

  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan,
                  const builder::TileLoop::Tile& tile) const {
    const builder::RowStream streams[] = {{{tile.row(0), 0, tile.buffer(0)}, builder::register_rows},
                                          {{tile.row(1), 0, tile.buffer(1)}, builder::register_rows}};
    builder::write_row_loop(
        builder, plan.streams[0].vmem_rows / builder::register_rows, streams,
        [&](const builder::RowPosition& position) { builder.store(position.at[1], builder.load(position.at[0])); });
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  std::int64_t rows_, columns_;
};

}  // namespace

void build_retile(const TargetMachine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns) {
  const RetileBuilder retile(machine, kernel, rows, columns);
  build_compiled(machine, kernel, retile.plans(), retile);
}

}  // namespace podsim::sw::codegen::families::stream
