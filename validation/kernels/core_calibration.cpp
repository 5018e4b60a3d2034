// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/core_calibration.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "hw/bundle/bundle_run.h"
#include "hw/core_units.h"
#include "hw/isa/fixed_sizes.h"
#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/matrix_pass.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/matrix/matrix_grid.h"

namespace podsim::validation::kernels {
namespace {

using hw::isa::Opcode;

/// Returns the cycles of a program in which the core does not wait for DMA.
double busy_cycles(const hw::Machine& machine, const hw::isa::Program& program) {
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  const hw::bundle::BundleRunResult result = hw::bundle::run_bundles(machine, program, hbm, options);
  return double((result.cycles - result.stalls[std::size_t(hw::bundle::Stall::sync_flag)] -
                 result.stalls[std::size_t(hw::bundle::Stall::dma_queue)])
                    .value());
}

double busy_cycles(const hw::Machine& machine, const std::function<void(sw::codegen::builder::KernelBuilder&)>& write) {
  sw::codegen::builder::KernelBuilder builder(machine, "calibration");
  write(builder);
  return busy_cycles(machine, std::move(builder).finish());
}

struct Line {
  double slope = 0, at_zero = 0;
};

/// Fits a line cycles(n) through two points, after subtracting the cycles of a program that only halts.
Line line_of(const hw::Machine& machine, std::int32_t n,
             const std::function<void(sw::codegen::builder::KernelBuilder&, std::int32_t)>& write) {
  const auto cycles = [&](std::int32_t count) {
    return busy_cycles(machine, [&](sw::codegen::builder::KernelBuilder& builder) { write(builder, count); });
  };
  const double nothing = busy_cycles(machine, [](sw::codegen::builder::KernelBuilder&) {});
  const double once = cycles(n) - nothing, twice = cycles(2 * n) - nothing;
  return {(twice - once) / n, 2 * once - twice};
}

base::Cycles rounded(double cycles) { return base::Cycles(std::llround(std::max(cycles, 0.0))); }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / double(values.size());
}

/// Fits y = slope * x + at_zero by least squares.
Line fitted(const std::vector<double>& x, const std::vector<double>& y) {
  const double x_mean = mean(x), y_mean = mean(y);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - x_mean) * (y[i] - y_mean);
    squares += (x[i] - x_mean) * (x[i] - x_mean);
  }
  const double slope = products / squares;
  return {slope, y_mean - slope * x_mean};
}

/// Makes a plan of `tiles` tiles, with one register per tile in each stream.
sw::codegen::builder::TilePlan register_tiles(int inputs, int outputs, std::int64_t tiles) {
  sw::codegen::builder::TilePlan plan;
  plan.counts = {tiles};
  for (int i = 0; i < inputs + outputs; ++i) {
    sw::codegen::builder::TileStream stream;
    stream.name = "stream";
    stream.role = i < inputs ? sw::codegen::builder::TileRole::input : sw::codegen::builder::TileRole::output;
    stream.address = std::uint32_t(i * tiles * sw::codegen::builder::register_words);
    stream.words = sw::codegen::builder::TileWindow::tiled(0, sw::codegen::builder::register_words,
                                                           tiles * sw::codegen::builder::register_words);
    stream.vmem_rows = sw::codegen::builder::register_rows;
    plan.streams.push_back(std::move(stream));
  }
  return plan;
}

/// Measures the code of the tile loop. The slope is in cycles per transfer, the value at zero in cycles per tile.
Line control_code(const hw::Machine& machine) {
  std::vector<double> transfers, cycles;
  for (int inputs : {1, 2, 3}) {
    for (int outputs : {0, 1, 2}) {
      const Line line = line_of(machine, 16, [&](sw::codegen::builder::KernelBuilder& builder, std::int32_t tiles) {
        sw::codegen::builder::TileLoop loop(builder, register_tiles(inputs, outputs, tiles));
        loop.run([&](const sw::codegen::builder::TileLoop::Tile& tile) {
          for (int stream = 0; stream < inputs + outputs; ++stream) tile.row(stream);
        });
      });
      transfers.push_back(inputs + outputs);
      cycles.push_back(line.slope);
    }
  }
  return fitted(transfers, cycles);
}

/// Writes a pipelined loop over registers, several per iteration.
void write_vector_loop(sw::codegen::builder::KernelBuilder& builder, std::int32_t iterations,
                       const std::function<sw::codegen::registers::VectorReg(
                           sw::codegen::builder::KernelBuilder&, sw::codegen::registers::VectorReg)>& body) {
  constexpr std::int32_t unrolled = 8;
  const sw::codegen::builder::KernelBuilder::VmemBuffer from =
      builder.vmem_rows(iterations * unrolled * sw::codegen::builder::register_rows);
  const sw::codegen::builder::KernelBuilder::VmemBuffer to =
      builder.vmem_rows(iterations * unrolled * sw::codegen::builder::register_rows);
  sw::codegen::registers::RowAddress source{builder.constant(from.row), 0, from.buffer},
      target{builder.constant(to.row), 0, to.buffer};
  builder.loop(iterations, {sw::codegen::registers::LoopSchedule::pipelined, {from.buffer, to.buffer}}, [&] {
    for (std::int32_t i = 0; i < unrolled; ++i) {
      source.offset = target.offset = i * sw::codegen::builder::register_rows;
      builder.store(target, body(builder, builder.load(source)));
    }
    for (sw::codegen::registers::RowAddress* address : {&source, &target}) {
      builder.assign(address->base, hw::isa::Opcode::s_add, address->base,
                     unrolled * sw::codegen::builder::register_rows);
    }
  });
}

double vector_loop(const hw::Machine& machine) {
  const std::vector<std::function<sw::codegen::registers::VectorReg(sw::codegen::builder::KernelBuilder&,
                                                                    sw::codegen::registers::VectorReg)>>
      bodies{[](sw::codegen::builder::KernelBuilder&, sw::codegen::registers::VectorReg x) { return x; },
             [](sw::codegen::builder::KernelBuilder& b, sw::codegen::registers::VectorReg x) {
               return b.op(hw::isa::Opcode::v_mul_f32, x, 2.0F);
             },
             [](sw::codegen::builder::KernelBuilder& b, sw::codegen::registers::VectorReg x) {
               const sw::codegen::registers::VectorReg y =
                   b.op(hw::isa::Opcode::v_mul_f32, b.op(hw::isa::Opcode::v_add_f32, x, 1.0F), x);
               return b.op(hw::isa::Opcode::v_max_f32, b.op(hw::isa::Opcode::v_add_f32, y, x), 0.0F);
             },
             [](sw::codegen::builder::KernelBuilder& b, sw::codegen::registers::VectorReg x) {
               return b.op(hw::isa::Opcode::v_add_f32, b.transcendental(hw::isa::Opcode::e_exp, x), 1.0F);
             }};
  std::vector<double> starts;
  for (const auto& body : bodies) {
    starts.push_back(line_of(machine, 16, [&](sw::codegen::builder::KernelBuilder& builder, std::int32_t iterations) {
                       write_vector_loop(builder, iterations, body);
                     }).at_zero);
  }
  return mean(starts);
}

double cross_lane_phase(const hw::Machine& machine) {
  std::vector<double> starts;
  for (hw::isa::Opcode opcode :
       {hw::isa::Opcode::x_sum_lanes, hw::isa::Opcode::x_max_sublanes, hw::isa::Opcode::x_broadcast_lane}) {
    starts.push_back(line_of(machine, 16, [&](sw::codegen::builder::KernelBuilder& builder, std::int32_t iterations) {
                       write_vector_loop(builder, iterations,
                                         [&](sw::codegen::builder::KernelBuilder& b,
                                             sw::codegen::registers::VectorReg x) { return b.cross_lane(opcode, x); });
                     }).at_zero);
  }
  return mean(starts);
}

/// A block of `registers` LHS registers by 128 contraction elements, multiplied by `columns` columns in every unit,
/// `steps` times.
struct Block {
  std::int32_t registers, columns, steps;
};

/// Writes the passes of a block. The sums of all units are next to each other, as in a matmul.
void write_block(sw::codegen::builder::KernelBuilder& builder, const Block& block, int units) {
  const std::int32_t weight_rows = hw::isa::register_lanes, lanes = block.columns * units;
  const sw::codegen::builder::KernelBuilder::VmemBuffer lhs =
      builder.vmem_rows(block.registers * block.steps * sw::codegen::builder::register_rows);
  const sw::codegen::builder::KernelBuilder::VmemBuffer weights = builder.vmem_rows(lanes * block.steps * weight_rows);
  const sw::codegen::builder::KernelBuilder::VmemBuffer sums =
      builder.vmem_rows(block.registers * lanes * sw::codegen::builder::register_rows);
  sw::codegen::builder::MatrixPass pass;
  pass.grid = {1, units};
  pass.lhs = {lhs.buffer, builder.constant(lhs.row)};
  pass.weights = {weights.buffer, builder.constant(weights.row)};
  pass.sums = {sums.buffer, builder.constant(sums.row)};
  for (std::int32_t i = 0; i < block.registers; ++i) {
    pass.lhs_offsets.push_back(i * block.steps * sw::codegen::builder::register_rows);
    pass.sums_offsets.push_back(i * lanes * sw::codegen::builder::register_rows);
  }
  pass.weights_register_offset = lanes * sw::codegen::builder::register_rows;
  pass.weights_column_offset = sw::codegen::builder::register_rows;
  pass.sums_column_offset = sw::codegen::builder::register_rows;
  const sw::codegen::builder::MatrixPassDimension contraction{
      block.steps, block.steps, sw::codegen::builder::register_rows, lanes * weight_rows, 0, true};
  const sw::codegen::builder::MatrixPassDimension columns{block.columns, block.columns, 0,
                                                          units * sw::codegen::builder::register_rows,
                                                          units * sw::codegen::builder::register_rows};
  pass.dimensions = {contraction, columns};
  sw::codegen::builder::write_matrix_pass(builder, pass);
}

double matrix_phase(const hw::Machine& machine) {
  const hw::Mxu::Timing timing = hw::Mxu::timing(machine);
  const int units = hw::isa::matrix_units(machine);
  std::vector<double> rest;
  for (const Block& block : {Block{16, 1, 1}, Block{16, 4, 1}, Block{16, 4, 4}, Block{32, 2, 4}, Block{32, 4, 8}}) {
    const double cycles =
        busy_cycles(machine,
                    [&](sw::codegen::builder::KernelBuilder& builder) { write_block(builder, block, units); }) -
        busy_cycles(machine, [](sw::codegen::builder::KernelBuilder&) {});
    const hw::MxuWork work{std::int64_t(block.columns) * block.steps * units,
                           block.registers * sw::codegen::builder::register_rows};
    rest.push_back(cycles - double(timing.duration(work).value()));
  }
  return mean(rest);
}

}  // namespace

std::vector<DerivedConstant> derive_core_constants(const hw::Machine& present) {
  hw::Machine machine = present;
  machine.tile_level = {};
  const Line control = control_code(machine);
  return {
      {"tile_level.tile_cycles", rounded(control.at_zero), "scalar code of a loop over tiles, per tile"},
      {"tile_level.transfer_cycles", rounded(control.slope), "the same, per transfer of a tile"},
      {"tile_level.vector_loop_cycles", rounded(vector_loop(machine)), "pipelined vector loops without their bodies"},
      {"tile_level.matrix_phase_cycles", rounded(matrix_phase(machine)),
       "matrix passes in VMEM beyond weight load, stream and last result"},
      {"tile_level.cross_lane_phase_cycles", rounded(cross_lane_phase(machine)),
       "pipelined loops of cross-lane operations without the operations"},
  };
}

std::string constants_toml(const std::string& machine, const std::vector<DerivedConstant>& constants) {
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Constants of the tile level that stand for code of the core. Not to be edited: they are measured by\n"
      "#   podsim calibrate core --machine {0} --write workloads/machines/{0}.core.toml\n\n[tile_level]\n",
      machine);
  for (const DerivedConstant& constant : constants) {
    text += fmt::format("{} = {{ value = {}, evidence = \"derived\", source = \"podsim calibrate core: {}\" }}\n",
                        constant.key.substr(constant.key.find('.') + 1), constant.value.value(), constant.method);
  }
  return text;
}

}  // namespace podsim::validation::kernels
