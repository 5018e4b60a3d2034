// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/transpose_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::stream {

using Op = hw::isa::Opcode;

namespace {

/// Registers of a block that the cross-lane unit transposes: 16 registers of 8 rows.
constexpr std::int64_t block_tiles = builder::weight_registers;

class TransposeBuilder {
 public:
  TransposeBuilder(const TargetMachine& machine, const Kernel& kernel, std::int64_t rows, std::int64_t columns)
      : machine_(machine),
        kernel_(kernel),
        type_(kernel.inputs[0].shape.element_type),
        block_rows_(base::divide_round_up(rows, builder::register_lanes)),
        block_columns_(base::divide_round_up(columns, builder::register_lanes)),
        row_tiles_(base::divide_round_up(rows, builder::register_rows)),
        output_row_tiles_(base::divide_round_up(columns, builder::register_rows)) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    if (block_rows_ == 0 || block_columns_ == 0) return plans;
    const std::int64_t blocks = along_columns() ? block_columns_ : block_rows_;
    for (std::int64_t parts : part_counts(blocks)) plans.push_back(plan(base::divide_round_up(blocks, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    const std::int64_t shared = packed() ? pushes() + block_tiles : 0;
    const hw::VectorWork block{.loads = pushes(), .stores = block_tiles, .alu_ops = shared};
    // The results of a block leave the unit while the next block enters. Only those of the last block add to the time.
    const std::int64_t last_results = block_tiles - 1;
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return std::vector{hw::TilePhase(builder::times(blocks(plan), block),
                                       hw::CrossLaneWork{blocks(plan) * pushes() + last_results})};
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
  static constexpr int input_stream = 0, output_stream = 1;

  /// Rows of tiles pushed per block: 16, or fewer if the array has no more.
  std::int64_t pushes() const { return std::min(block_tiles, row_tiles_); }
  bool packed() const { return type_ == hlo::ElementType::bf16; }
  bool along_columns() const { return block_columns_ > 1; }
  /// Blocks of a tile. The last tile may have fewer, but takes the same time.
  std::int64_t blocks(const builder::TilePlan& plan) const {
    const builder::TileStream& input = plan.streams[input_stream];
    return input.rows.length / block_tiles * input.words.length / builder::tile_words(type_);
  }

  /// Makes a plan with tiles of `blocks` blocks.
  builder::TilePlan plan(std::int64_t blocks) const {
    const std::int64_t down = along_columns() ? 1 : blocks, across = along_columns() ? blocks : 1;
    builder::TilePlan plan;
    plan.counts = {base::divide_round_up(block_rows_, down), base::divide_round_up(block_columns_, across)};
    plan.streams = {stream(kernel_.inputs[0], builder::TileRole::input,
                           builder::TileWindow::tiled(0, down * block_tiles, row_tiles_),
                           builder::TileWindow::tiled(1, across * builder::tile_words(type_),
                                                      block_columns_ * builder::tile_words(type_))),
                    stream(kernel_.outputs[0], builder::TileRole::output,
                           builder::TileWindow::tiled(1, across * block_tiles, output_row_tiles_),
                           builder::TileWindow::tiled(0, down * builder::tile_words(type_),
                                                      block_rows_ * builder::tile_words(type_)))};
    return plan;
  }

  builder::TileStream stream(const KernelArray& array, builder::TileRole role, const builder::TileWindow& rows,
                             const builder::TileWindow& words) const {
    builder::TileStream stream;
    stream.name = array.name;
    stream.role = role;
    stream.address = array.address;
    stream.rows = rows;
    stream.words = words;
    stream.hbm_stride = words.total;
    stream.vmem_stride = words.length;
    stream.vmem_rows = rows.length * words.length / builder::register_lanes;
    return stream;
  }

  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan,
                  const builder::TileLoop::Tile& tile) const {
    const auto pitch = [&](int stream) {
      return std::int32_t(plan.streams[std::size_t(stream)].vmem_stride / builder::register_lanes);
    };
    const registers::RowAddress from{builder.op(Op::s_add, tile.row(input_stream), 0), 0, tile.buffer(input_stream)};
    const registers::RowAddress to{builder.op(Op::s_add, tile.row(output_stream), 0), 0, tile.buffer(output_stream)};
    const std::int32_t next = std::int32_t(builder::tile_rows(type_));
    const std::int32_t skip = std::int32_t(block_tiles);
    builder.loop(std::int32_t(blocks(plan)), {registers::LoopSchedule::pipelined, {from.buffer, to.buffer}}, [&] {
      write_pushes(builder, from, pitch(input_stream));
      write_pops(builder, to, pitch(output_stream));
      builder.assign(from.base, Op::s_add, from.base, along_columns() ? next : skip * pitch(input_stream));
      builder.assign(to.base, Op::s_add, to.base, along_columns() ? skip * pitch(output_stream) : next);
    });
  }

  /// Writes the pushes of a block. Rows after the last of the array have arbitrary contents; they become lanes of
  /// padding.
  void write_pushes(builder::KernelBuilder& builder, registers::RowAddress from, std::int32_t pitch) const {
    for (int i = 0; i < pushes(); ++i, from.offset += pitch) {
      const registers::VectorReg rows = builder::load_tile(builder, from, packed());
      builder.push_cross_lane(i + 1 < pushes() ? Op::x_transpose : Op::x_transpose_end, rows);
    }
  }

  void write_pops(builder::KernelBuilder& builder, registers::RowAddress to, std::int32_t pitch) const {
    for (int i = 0; i < block_tiles; ++i, to.offset += pitch) {
      builder::store_tile(builder, to, builder.pop(hw::isa::cross_lane_unit), packed());
    }
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  hlo::ElementType type_;
  std::int64_t block_rows_, block_columns_;  ///< size of the input, in blocks of 128 x 128
  std::int64_t row_tiles_, output_row_tiles_;
};

Kernel make_transpose(const TargetMachine& machine, const KernelArguments& arguments) {
  const hlo::Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  Kernel kernel;
  kernel.name = kernel_name(transpose_family(), arguments);
  ArrayAllocator places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  kernel.outputs.push_back(
      places.place("result", hlo::make_shape(shape.element_type, {shape.dimensions[1], shape.dimensions[0]})));
  hlo::build::GraphBuilder graph("transpose");
  kernel.reference = std::move(graph).build(graph.transpose(graph.parameter(shape, "x"), {1, 0}));
  kernel.op = kernel.reference;
  kernel.passes = "one pass: read once, write once";
  build_transpose(machine, kernel, shape.dimensions[0], shape.dimensions[1]);
  return kernel;
}

}  // namespace

void build_transpose(const TargetMachine& machine, Kernel& kernel, std::int64_t rows, std::int64_t columns) {
  const TransposeBuilder transpose(machine, kernel, rows, columns);
  build_compiled(machine, kernel, transpose.plans(), transpose);
}

KernelFamily transpose_family() {
  return {"transpose",
          "a matrix with rows and columns exchanged",
          {size_parameter("rows", "rows of the input", 1024), size_parameter("columns", "columns of the input", 1024),
           dtype_parameter()},
          make_transpose};
}

}  // namespace podsim::sw::codegen::families::stream
