// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_kernel.h"

#include <fmt/format.h>

#include <optional>

#include "hlo/build/graph_builder.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/builder/zero_padding.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/matrix/matmul_search.h"

namespace podsim::sw::codegen::families::matrix {

using Op = hw::isa::Opcode;

namespace {

/// Writes the bundles of a plan.
class MatmulWriter {
 public:
  MatmulWriter(builder::KernelBuilder& builder, const MatmulPlan& plan)
      : builder_(builder),
        plan_(plan),
        problem_(plan.problem()),
        tiling_(plan.tiling()),
        tile_rows_(builder::rows_of_tile(problem_.packed)) {}

  /// Writes the code. If the arrays are in VMEM, also sets the copies before and after the kernel.
  void write(Kernel& kernel) {
    builder::TileLoop tiles(builder_, plan_.tiles());
    if (plan_.sum_rows() > 0) sums_ = builder_.vmem_rows(plan_.sum_rows());
    tiles.run([&](const builder::TileLoop::Tile& tile) { write_tile(tile); });
    if (!problem_.in_vmem) return;
    kernel.before = tiles.transfers(builder::TileRole::input);
    kernel.after = tiles.transfers(builder::TileRole::output);
  }

 private:
  void write_tile(const builder::TileLoop::Tile& tile) {
    const builder::MatrixOperand c = operand(tile, MatmulPlan::c);
    const builder::MatrixOperand sums =
        sums_ ? builder::MatrixOperand{sums_->buffer, builder_.constant(sums_->row), 1, false} : c;
    if (problem_.k == 0) {
      clear_sums(sums);
    } else {
      const builder::MatrixOperand a = operand(tile, plan_.a()), b = operand(tile, plan_.b());
      if (problem_.contraction_padded()) clear_padding(tile, a, b);
      multiply(tile, a, b, sums);
    }
    if (problem_.epilogue().any()) finish(tile, sums, c);
  }

  builder::MatrixOperand operand(const builder::TileLoop::Tile& tile, int stream) const {
    return {tile.buffer(stream), tile.row(stream), 1, problem_.packed};
  }

  /// Returns `full`, or `last` in the last tile of a dimension.
  registers::ScalarOperand by_tile(const builder::TileLoop::Tile& tile, int dimension, std::int64_t full,
                                   std::int64_t last) const {
    const std::int64_t count = plan_.tiles().counts[std::size_t(dimension)];
    if (count == 1) return std::int32_t(last);
    if (full == last) return std::int32_t(full);
    const registers::ScalarReg steps = builder_.constant(std::int32_t(full));
    builder_.when(is_last(tile, dimension), false, [&] { builder_.set(steps, std::int32_t(last)); });
    return steps;
  }
  registers::PredicateReg is_last(const builder::TileLoop::Tile& tile, int dimension) const {
    const std::int64_t count = plan_.tiles().counts[std::size_t(dimension)];
    return builder_.compare(Op::s_eq, tile.index(dimension), std::int32_t(count - 1));
  }
  /// Returns a predicate that is set in the last contraction tile; std::nullopt if there is only one.
  std::optional<registers::PredicateReg> last_contraction(const builder::TileLoop::Tile& tile) const {
    if (plan_.tiles().counts[MatmulPlan::contraction_dimension] == 1) return std::nullopt;
    return is_last(tile, MatmulPlan::contraction_dimension);
  }
  registers::ScalarOperand row_steps(const builder::TileLoop::Tile& tile) const {
    return by_tile(tile, plan_.row_dimension(), plan_.row_steps(false), plan_.row_steps(true));
  }
  registers::ScalarOperand lane_steps(const builder::TileLoop::Tile& tile) const {
    return by_tile(tile, plan_.lane_dimension(), plan_.lane_steps(false), plan_.lane_steps(true));
  }
  registers::ScalarOperand contraction_steps(const builder::TileLoop::Tile& tile) const {
    return by_tile(tile, MatmulPlan::contraction_dimension, plan_.contraction_steps(false),
                   plan_.contraction_steps(true));
  }

  void clear_sums(const builder::MatrixOperand& sums) const {
    const registers::ScalarReg base = builder_.op(Op::s_add, sums.base, 0);
    const registers::VectorReg zero = builder_.unary(Op::v_mov, 0.0F);
    const std::int64_t tiles = plan_.padded_rows() * plan_.padded_lanes();
    builder_.loop(std::int32_t(tiles), {registers::LoopSchedule::pipelined, {sums.buffer}}, [&] {
      builder_.store({base, 0, sums.buffer}, zero);
      builder_.assign(base, Op::s_add, base, builder::rows_of_tile(false));
    });
  }

  /// Clears the padding in the last contraction step, if this tile has it. Data that a previous tile has cleared are
  /// not cleared again.
  void clear_padding(const builder::TileLoop::Tile& tile, builder::MatrixOperand a, builder::MatrixOperand b) const {
    const int rest = int(problem_.last_contraction());
    const std::optional<registers::PredicateReg> wanted = last_contraction(tile);
    const std::int64_t before = plan_.contraction_steps(true) - 1;
    const auto once = [&](int stream, std::int64_t count) -> registers::ScalarOperand {
      const registers::ScalarOperand reused = tile.reused(stream);
      if (reused.literal) return std::int32_t(count);
      const registers::ScalarReg trips = builder_.constant(std::int32_t(count));
      const registers::PredicateReg again = builder_.compare(Op::s_ne, registers::ScalarReg{reused.value}, 0);
      builder_.when(again, false, [&] { builder_.set(trips, 1); });
      return trips;
    };
    a.base = builder_.op(Op::s_add, a.base, std::int32_t(before * tile_rows_));
    builder::clear_lanes(
        builder_, {a, {{once(plan_.a(), tiling_.rows), std::int32_t(tiling_.contraction) * tile_rows_}}, wanted}, rest);
    if (problem_.transposed) {
      b.base = builder_.op(Op::s_add, b.base, std::int32_t(before * tile_rows_));
      const registers::ScalarOperand count = once(plan_.b(), tiling_.lanes * builder::weight_registers);
      builder::clear_lanes(builder_, {b, {{count, std::int32_t(tiling_.contraction) * tile_rows_}}, wanted}, rest);
    } else {
      const auto row = std::int32_t(plan_.padded_lanes()) * tile_rows_;
      b.base = builder_.op(Op::s_add, b.base, std::int32_t(before * builder::weight_registers) * row);
      builder::clear_rows(builder_, {b, {{once(plan_.b(), tiling_.lanes), tile_rows_}}, wanted}, row, rest);
    }
  }

  void multiply(const builder::TileLoop::Tile& tile, const builder::MatrixOperand& a, const builder::MatrixOperand& b,
                const builder::MatrixOperand& sums) const {
    const auto a_row = std::int32_t(tiling_.contraction) * tile_rows_;
    const auto b_row = std::int32_t(problem_.transposed ? tiling_.contraction : plan_.padded_lanes()) * tile_rows_;
    const auto sums_row = std::int32_t(plan_.padded_lanes()) * builder::rows_of_tile(false);
    const std::int32_t column = problem_.transposed ? builder::weight_registers * b_row : tile_rows_;
    builder::MatrixPass pass;
    pass.grid = tiling_.grid;
    pass.lhs = a;
    pass.weights = b;
    pass.sums = sums;
    pass.sums.packed = false;
    pass.transposed_weights = problem_.transposed;
    const int registers = tiling_.registers * tiling_.grid.row_units;
    for (std::int32_t j = 0; j < registers; ++j) {
      pass.lhs_offsets.push_back(j * a_row);
      pass.sums_offsets.push_back(j * sums_row);
    }
    pass.weights_register_offset = b_row;
    pass.weights_column_offset = column;
    pass.sums_column_offset = builder::rows_of_tile(false);
    const builder::MatrixPassDimension rows{row_steps(tile), plan_.row_steps(true), registers * a_row, 0,
                                            registers * sums_row};
    const int columns = tiling_.grid.column_units;
    const builder::MatrixPassDimension lanes{lane_steps(tile), plan_.lane_steps(true), 0, columns * column,
                                             columns * builder::rows_of_tile(false)};
    const builder::MatrixPassDimension contraction{contraction_steps(tile),
                                                   1,
                                                   tile_rows_,
                                                   problem_.transposed ? tile_rows_ : builder::weight_registers * b_row,
                                                   0,
                                                   true};
    pass.dimensions = {contraction, rows, lanes};
    if (plan_.tiles().counts[MatmulPlan::contraction_dimension] > 1) {
      pass.sums_before = tile.index(MatmulPlan::contraction_dimension);
    }
    builder::write_matrix_pass(builder_, pass);
  }

  void finish(const builder::TileLoop::Tile& tile, const builder::MatrixOperand& sums,
              const builder::MatrixOperand& c) const {
    builder::EpiloguePass pass;
    pass.epilogue = problem_.epilogue();
    pass.sums = sums;
    pass.result = c;
    pass.group_rows = plan_.epilogue_rows();
    pass.row_tiles = std::int32_t(plan_.padded_lanes());
    pass.groups = by_tile(tile, plan_.row_dimension(), plan_.epilogue_steps(false), plan_.epilogue_steps(true));
    pass.lanes = builder::product(builder_, lane_steps(tile), tiling_.grid.column_units);
    if (problem_.bias) {
      const registers::ScalarReg before =
          builder_.op(Op::s_mul, tile.index(plan_.lane_dimension()), std::int32_t(tiling_.lanes));
      pass.bias = operand(tile, MatmulPlan::bias);
      pass.bias.base = builder_.op(Op::s_add, pass.bias.base, before);
    }
    pass.stored = last_contraction(tile);
    if (pass.stored) {  // a single trip if nothing is stored
      const registers::ScalarReg groups = builder_.constant(1), lanes = builder_.constant(1);
      builder_.when(*pass.stored, false, [&] {
        builder_.set(groups, pass.groups);
        builder_.set(lanes, pass.lanes);
      });
      pass.groups = groups;
      pass.lanes = lanes;
    }
    builder::write_epilogue(builder_, pass);
  }

  builder::KernelBuilder& builder_;
  const MatmulPlan& plan_;
  const KernelMatmul& problem_;
  const MatmulTiling& tiling_;
  const std::int32_t tile_rows_;
  std::optional<builder::KernelBuilder::VmemBuffer> sums_;
};

KernelMatmul matmul_problem(const KernelArguments& arguments) {
  KernelMatmul problem;
  problem.m = arguments.number("m");
  problem.n = arguments.number("n");
  problem.k = arguments.number("k");
  problem.packed = arguments.choice("dtype") == "bf16";
  problem.transposed = arguments.choice("rhs") == "nk";
  problem.bias = arguments.choice("bias") == "yes";
  problem.in_vmem = arguments.choice("memory") == "vmem";
  const std::string& activation = arguments.choice("epilogue");
  problem.activation = activation == "relu"   ? builder::Activation::relu
                       : activation == "gelu" ? builder::Activation::gelu
                                              : builder::Activation::none;
  return problem;
}

/// The graph with operands rounded to bf16 as the matrix units do.
hlo::Module matmul_reference(const KernelMatmul& problem, const Kernel& kernel) {
  hlo::build::GraphBuilder graph("matmul");
  const auto rounded = [&](const KernelArray& array) {
    const hlo::InstructionId parameter = graph.parameter(array.shape, array.name);
    return graph.convert(graph.convert(parameter, hlo::ElementType::bf16), hlo::ElementType::f32);
  };
  const hlo::InstructionId a = rounded(kernel.inputs[0]), b = rounded(kernel.inputs[1]);
  return with_epilogue(problem, graph, a, b);
}

std::string matmul_name(const KernelArguments& arguments) {
  std::string name = "matmul";
  for (const KernelParameter& parameter : matmul_family().parameters) {
    name += fmt::format(" {}={}", parameter.name, arguments.values.at(parameter.name));
  }
  return name;
}

/// Describes how often each array moves between HBM and VMEM, and in which blocks.
std::string matmul_passes(const MatmulPlan& plan) {
  const KernelMatmul& problem = plan.problem();
  const MatmulTiling& tiling = plan.tiling();
  if (problem.in_vmem) return "none: the arrays are in VMEM before and stay there";
  std::string passes;
  for (const builder::TileStream& stream : plan.tiles().streams) {
    const bool input = stream.role == builder::TileRole::input;
    passes += fmt::format("{} {} {}x, ", input ? "reads" : "writes", stream.name, plan.tiles().passes(stream));
  }
  return passes + fmt::format("in blocks of {} x {}, contraction {}",
                              std::min(builder::register_rows * tiling.rows, problem.m),
                              std::min(builder::register_lanes * tiling.lanes, problem.n),
                              std::min(builder::register_lanes * tiling.contraction, problem.k));
}

Kernel build_matmul(const TargetMachine& machine, const KernelArguments& arguments) {
  const KernelMatmul problem = matmul_problem(arguments);
  const hlo::ElementType type = problem.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  Kernel kernel;
  kernel.name = matmul_name(arguments);
  ArrayAllocator places(machine);
  kernel.inputs.push_back(places.place("a", hlo::make_shape(type, {problem.m, problem.k})));
  const std::vector<std::int64_t> b =
      problem.transposed ? std::vector{problem.n, problem.k} : std::vector{problem.k, problem.n};
  kernel.inputs.push_back(places.place("b", hlo::make_shape(type, b)));
  if (problem.bias) kernel.inputs.push_back(places.place("bias", hlo::make_shape(hlo::ElementType::f32, {problem.n})));
  kernel.outputs.push_back(places.place("c", hlo::make_shape(type, {problem.m, problem.n})));
  kernel.reference = matmul_reference(problem, kernel);
  kernel.op = matmul_op(problem);
  kernel.rounding_steps =
      double(std::min<std::int64_t>(problem.k, builder::register_lanes) + problem.contraction_tiles() + 4);
  builder::KernelBuilder builder(machine, kernel.name);
  if (problem.m > 0 && problem.n > 0) {
    const MatmulAddresses addresses{kernel.inputs[0].address, kernel.inputs[1].address,
                                    problem.bias ? kernel.inputs[2].address : 0, kernel.outputs[0].address};
    const MatmulPlan plan = compiled_matmul_plan(machine, problem, addresses);
    MatmulWriter(builder, plan).write(kernel);
    kernel.tile_op = plan.tile_op(kernel.name);
    kernel.passes = matmul_passes(plan);
  }
  kernel.program = std::move(builder).finish();
  return kernel;
}

}  // namespace

KernelFamily matmul_family() {
  constexpr std::int64_t most = 1 << 20;
  return {
      "matmul",
      "c = epilogue(a b + bias), on the matrix units",
      {{"m", "rows of a and c", {}, 0, most, "256"},
       {"n", "columns of b and c", {}, 0, most, "256"},
       {"k", "columns of a, rows of b", {}, 0, most, "256"},
       {"dtype", "of a, b and c; f32 operands are rounded to bf16 by the matrix units", {"f32", "bf16"}, 0, 0, "f32"},
       {"rhs", "how b is given: [k, n], or transposed as [n, k]", {"kn", "nk"}, 0, 0, "kn"},
       {"bias", "f32 [n], added to every row", {"no", "yes"}, 0, 0, "no"},
       {"epilogue", "function of the sums", {"none", "relu", "gelu"}, 0, 0, "none"},
       {"memory",
        "hbm: tiles pass through VMEM while others are computed; vmem: the arrays are there before and stay there",
        {"hbm", "vmem"},
        0,
        0,
        "hbm"}},
      build_matmul};
}

}  // namespace podsim::sw::codegen::families::matrix
