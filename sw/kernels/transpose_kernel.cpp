// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/transpose_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/graph/graph_builder.h"
#include "sw/kernels/array_places.h"
#include "sw/kernels/element_code.h"
#include "sw/kernels/packed_tile.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/tile_loop.h"
#include "sw/kernels/vector_parameters.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr int input_stream = 0, output_stream = 1;
/// Registers that the cross-lane unit transposes together, and gives back: 16 x 8 rows.
constexpr std::int64_t block_tiles = 16;
constexpr std::int64_t tile_lanes = 128;

class TransposeBuilder {
 public:
  TransposeBuilder(const hw::Machine& machine, const Kernel& kernel, std::int64_t rows, std::int64_t columns)
      : machine_(machine),
        kernel_(kernel),
        type_(kernel.inputs[0].shape.element_type),
        block_rows_(base::divide_round_up(rows, tile_lanes)),
        block_columns_(base::divide_round_up(columns, tile_lanes)),
        row_tiles_(base::divide_round_up(rows, 8)),
        output_row_tiles_(base::divide_round_up(columns, 8)) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    if (block_rows_ == 0 || block_columns_ == 0) return plans;
    const std::int64_t blocks = along_columns() ? block_columns_ : block_rows_;
    for (std::int64_t parts : part_counts(blocks)) plans.push_back(plan(base::divide_round_up(blocks, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    const std::int64_t shared = packed() ? pushes() + block_tiles : 0;
    const hw::VectorWork block{.loads = pushes(), .stores = block_tiles, .alu_ops = shared};
    // The results of a block leave the unit one by one while the next block enters; those of the last add to the time.
    const std::int64_t last_results = block_tiles - 1;
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector<hw::TilePhase>{{{}, times(blocks(plan), block), blocks(plan) * pushes() + last_results}};
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
  /// Rows of tiles in a block: fewer than a whole one if the array has no more.
  std::int64_t pushes() const { return std::min(block_tiles, row_tiles_); }
  bool packed() const { return type_ == ElementType::bf16; }
  bool along_columns() const { return block_columns_ > 1; }
  /// Of a tile; the last one may have fewer, and takes as long.
  std::int64_t blocks(const TilePlan& plan) const {
    const TileStream& input = plan.streams[input_stream];
    return input.rows.length / block_tiles * input.words.length / tile_words(type_);
  }

  /// Tiles of `blocks` blocks.
  TilePlan plan(std::int64_t blocks) const {
    const std::int64_t down = along_columns() ? 1 : blocks, across = along_columns() ? blocks : 1;
    TilePlan plan;
    plan.counts = {base::divide_round_up(block_rows_, down), base::divide_round_up(block_columns_, across)};
    plan.streams = {
        stream(kernel_.inputs[0], TileRole::input, TileWindow::cut(0, down * block_tiles, row_tiles_),
               TileWindow::cut(1, across * tile_words(type_), block_columns_ * tile_words(type_))),
        stream(kernel_.outputs[0], TileRole::output, TileWindow::cut(1, across * block_tiles, output_row_tiles_),
               TileWindow::cut(0, down * tile_words(type_), block_rows_ * tile_words(type_)))};
    return plan;
  }

  TileStream stream(const KernelArray& array, TileRole role, const TileWindow& rows, const TileWindow& words) const {
    TileStream stream;
    stream.name = array.name;
    stream.role = role;
    stream.address = array.address;
    stream.rows = rows;
    stream.words = words;
    stream.hbm_stride = words.total;
    stream.vmem_stride = words.length;
    stream.vmem_rows = rows.length * words.length / tile_lanes;
    return stream;
  }

  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile) const {
    const auto pitch = [&](int stream) {
      return std::int32_t(plan.streams[std::size_t(stream)].vmem_stride / tile_lanes);
    };
    const RowAddress from{builder.op(Op::s_add, tile.row(input_stream), 0), 0, tile.buffer(input_stream)};
    const RowAddress to{builder.op(Op::s_add, tile.row(output_stream), 0), 0, tile.buffer(output_stream)};
    const std::int32_t next = std::int32_t(tile_rows(type_));
    const std::int32_t skip = std::int32_t(block_tiles);
    builder.loop(std::int32_t(blocks(plan)), {LoopSchedule::pipelined, {from.buffer, to.buffer}}, [&] {
      write_pushes(builder, from, pitch(input_stream));
      write_pops(builder, to, pitch(output_stream));
      builder.assign(from.base, Op::s_add, from.base, along_columns() ? next : skip * pitch(input_stream));
      builder.assign(to.base, Op::s_add, to.base, along_columns() ? skip * pitch(output_stream) : next);
    });
  }

  /// Rows behind the last of the array are whatever VMEM holds; they become lanes of padding.
  void write_pushes(KernelBuilder& builder, RowAddress from, std::int32_t pitch) const {
    for (int i = 0; i < pushes(); ++i, from.offset += pitch) {
      const VectorReg rows = load_tile(builder, from, packed());
      builder.push_cross_lane(i + 1 < pushes() ? Op::x_transpose : Op::x_transpose_end, rows);
    }
  }

  void write_pops(KernelBuilder& builder, RowAddress to, std::int32_t pitch) const {
    for (int i = 0; i < block_tiles; ++i, to.offset += pitch) {
      store_tile(builder, to, builder.pop(hw::isa::cross_lane_unit), packed());
    }
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  ElementType type_;
  std::int64_t block_rows_, block_columns_;  ///< of the input, in blocks of 128 x 128
  std::int64_t row_tiles_, output_row_tiles_;
};

Kernel build(const hw::Machine& machine, const KernelArguments& arguments) {
  const Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  Kernel kernel;
  kernel.name = kernel_name(transpose_family(), arguments);
  ArrayPlaces places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  kernel.outputs.push_back(
      places.place("result", make_shape(shape.element_type, {shape.dimensions[1], shape.dimensions[0]})));
  GraphBuilder graph("transpose");
  kernel.reference = std::move(graph).build(graph.transpose(graph.parameter(shape, "x"), {1, 0}));
  kernel.passes = "one pass: read once, write once";
  build_transpose(machine, kernel, shape.dimensions[0], shape.dimensions[1]);
  return kernel;
}

}  // namespace

void build_transpose(const hw::Machine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns) {
  const TransposeBuilder transpose(machine, kernel, rows, columns);
  build_fastest(machine, kernel, transpose.plans(), transpose);
}

KernelFamily transpose_family() {
  return {"transpose",
          "a matrix with rows and columns exchanged",
          {size_parameter("rows", "rows of the input", 1024), size_parameter("columns", "columns of the input", 1024),
           dtype_parameter()},
          build};
}

}  // namespace podsim::sw
