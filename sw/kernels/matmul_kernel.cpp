// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_kernel.h"

#include <fmt/format.h>

#include <optional>

#include "sw/graph/graph_builder.h"
#include "sw/kernels/array_places.h"
#include "sw/kernels/matmul_search.h"
#include "sw/kernels/odometer.h"
#include "sw/kernels/packed_tile.h"
#include "sw/kernels/tile_loop.h"
#include "sw/kernels/zero_padding.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t weight_registers = 16;

/// Writes the bundles of a plan.
class MatmulWriter {
 public:
  MatmulWriter(KernelBuilder& builder, const MatmulPlan& plan)
      : builder_(builder),
        plan_(plan),
        problem_(plan.problem()),
        cuts_(plan.cuts()),
        tile_rows_(rows_of_tile(problem_.packed)) {}

  /// With the copies before and after it, if the arrays are in VMEM.
  void write(Kernel& kernel) {
    TileLoop tiles(builder_, plan_.tiles());
    if (plan_.sum_rows() > 0) sums_ = builder_.vmem_rows(plan_.sum_rows());
    tiles.run([&](const TileLoop::Tile& tile) { write_tile(tile); });
    if (!problem_.in_vmem) return;
    kernel.before = tiles.transfers(TileRole::input);
    kernel.after = tiles.transfers(TileRole::output);
  }

 private:
  void write_tile(const TileLoop::Tile& tile) {
    const MatrixOperand c = operand(tile, MatmulPlan::c);
    const MatrixOperand sums = sums_ ? MatrixOperand{sums_->buffer, builder_.constant(sums_->row), 1, false} : c;
    if (problem_.k == 0) {
      clear_sums(sums);
    } else {
      const MatrixOperand a = operand(tile, plan_.a()), b = operand(tile, plan_.b());
      if (problem_.contraction_padded()) clear_padding(tile, a, b);
      multiply(tile, a, b, sums);
    }
    if (problem_.epilogue().any()) finish(tile, sums, c);
  }

  MatrixOperand operand(const TileLoop::Tile& tile, int stream) const {
    return {tile.buffer(stream), tile.row(stream), 1, problem_.packed};
  }

  /// `full`, or `last` in the last tile of a dimension.
  ScalarOperand by_tile(const TileLoop::Tile& tile, int dimension, std::int64_t full, std::int64_t last) const {
    const std::int64_t count = plan_.tiles().counts[std::size_t(dimension)];
    if (count == 1) return std::int32_t(last);
    if (full == last) return std::int32_t(full);
    const ScalarReg steps = builder_.constant(std::int32_t(full));
    builder_.when(is_last(tile, dimension), false, [&] { builder_.set(steps, std::int32_t(last)); });
    return steps;
  }
  PredicateReg is_last(const TileLoop::Tile& tile, int dimension) const {
    const std::int64_t count = plan_.tiles().counts[std::size_t(dimension)];
    return builder_.compare(Op::s_eq, tile.index(dimension), std::int32_t(count - 1));
  }
  /// Whether this is the last contraction step, if that is not always so.
  std::optional<PredicateReg> last_contraction(const TileLoop::Tile& tile) const {
    if (plan_.tiles().counts[MatmulPlan::contraction_dimension] == 1) return std::nullopt;
    return is_last(tile, MatmulPlan::contraction_dimension);
  }
  ScalarOperand row_steps(const TileLoop::Tile& tile) const {
    return by_tile(tile, plan_.row_dimension(), plan_.row_steps(false), plan_.row_steps(true));
  }
  ScalarOperand lane_steps(const TileLoop::Tile& tile) const {
    return by_tile(tile, plan_.lane_dimension(), plan_.lane_steps(false), plan_.lane_steps(true));
  }
  ScalarOperand contraction_steps(const TileLoop::Tile& tile) const {
    return by_tile(tile, MatmulPlan::contraction_dimension, plan_.contraction_steps(false),
                   plan_.contraction_steps(true));
  }

  void clear_sums(const MatrixOperand& sums) const {
    const ScalarReg base = builder_.op(Op::s_add, sums.base, 0);
    const VectorReg zero = builder_.unary(Op::v_mov, 0.0F);
    const std::int64_t tiles = plan_.padded_rows() * plan_.padded_lanes();
    builder_.loop(std::int32_t(tiles), {LoopSchedule::pipelined, {sums.buffer}}, [&] {
      builder_.store({base, 0, sums.buffer}, zero);
      builder_.assign(base, Op::s_add, base, rows_of_tile(false));
    });
  }

  /// In the last of a tile's contraction tiles, if that is the last of all. What was cleared before is not again.
  void clear_padding(const TileLoop::Tile& tile, MatrixOperand a, MatrixOperand b) const {
    const int rest = int(problem_.last_contraction());
    const std::optional<PredicateReg> wanted = last_contraction(tile);
    const std::int64_t before = plan_.contraction_steps(true) - 1;
    const auto once = [&](int stream, std::int64_t count) -> ScalarOperand {
      const ScalarOperand reused = tile.reused(stream);
      if (reused.literal) return std::int32_t(count);
      const ScalarReg trips = builder_.constant(std::int32_t(count));
      const PredicateReg again = builder_.compare(Op::s_ne, ScalarReg{reused.value}, 0);
      builder_.when(again, false, [&] { builder_.set(trips, 1); });
      return trips;
    };
    a.base = builder_.op(Op::s_add, a.base, std::int32_t(before * tile_rows_));
    clear_lanes(builder_, {a, {{once(plan_.a(), cuts_.rows), std::int32_t(cuts_.contraction) * tile_rows_}}, wanted},
                rest);
    if (problem_.transposed) {
      b.base = builder_.op(Op::s_add, b.base, std::int32_t(before * tile_rows_));
      const ScalarOperand count = once(plan_.b(), cuts_.lanes * weight_registers);
      clear_lanes(builder_, {b, {{count, std::int32_t(cuts_.contraction) * tile_rows_}}, wanted}, rest);
    } else {
      const auto row = std::int32_t(plan_.padded_lanes()) * tile_rows_;
      b.base = builder_.op(Op::s_add, b.base, std::int32_t(before * weight_registers) * row);
      clear_rows(builder_, {b, {{once(plan_.b(), cuts_.lanes), tile_rows_}}, wanted}, row, rest);
    }
  }

  void multiply(const TileLoop::Tile& tile, const MatrixOperand& a, const MatrixOperand& b,
                const MatrixOperand& sums) const {
    const auto a_row = std::int32_t(cuts_.contraction) * tile_rows_;
    const auto b_row = std::int32_t(problem_.transposed ? cuts_.contraction : plan_.padded_lanes()) * tile_rows_;
    const auto sums_row = std::int32_t(plan_.padded_lanes()) * rows_of_tile(false);
    const std::int32_t column = problem_.transposed ? std::int32_t(weight_registers) * b_row : tile_rows_;
    MatrixPass pass;
    pass.grid = cuts_.grid;
    pass.lhs = a;
    pass.weights = b;
    pass.sums = sums;
    pass.sums.packed = false;
    pass.transposed_weights = problem_.transposed;
    const int registers = cuts_.registers * cuts_.grid.row_units;
    for (std::int32_t j = 0; j < registers; ++j) {
      pass.lhs_offsets.push_back(j * a_row);
      pass.sums_offsets.push_back(j * sums_row);
    }
    pass.weights_register_offset = b_row;
    pass.weights_column_offset = column;
    pass.sums_column_offset = rows_of_tile(false);
    const MatrixPassDimension rows{row_steps(tile), plan_.row_steps(true), registers * a_row, 0, registers * sums_row};
    const int columns = cuts_.grid.column_units;
    const MatrixPassDimension lanes{lane_steps(tile), plan_.lane_steps(true), 0, columns * column,
                                    columns * rows_of_tile(false)};
    const MatrixPassDimension contraction{contraction_steps(tile),
                                          1,
                                          tile_rows_,
                                          problem_.transposed ? tile_rows_ : std::int32_t(weight_registers) * b_row,
                                          0,
                                          true};
    pass.dimensions = {contraction, rows, lanes};
    if (plan_.tiles().counts[MatmulPlan::contraction_dimension] > 1) {
      pass.sums_before = tile.index(MatmulPlan::contraction_dimension);
    }
    write_matrix_pass(builder_, pass);
  }

  void finish(const TileLoop::Tile& tile, const MatrixOperand& sums, const MatrixOperand& c) const {
    EpiloguePass pass;
    pass.epilogue = problem_.epilogue();
    pass.sums = sums;
    pass.result = c;
    pass.group_rows = plan_.epilogue_rows();
    pass.row_tiles = std::int32_t(plan_.padded_lanes());
    pass.groups = by_tile(tile, plan_.row_dimension(), plan_.epilogue_steps(false), plan_.epilogue_steps(true));
    pass.lanes = product(builder_, lane_steps(tile), cuts_.grid.column_units);
    if (problem_.bias) {
      const ScalarReg before = builder_.op(Op::s_mul, tile.index(plan_.lane_dimension()), std::int32_t(cuts_.lanes));
      pass.bias = operand(tile, MatmulPlan::bias);
      pass.bias.base = builder_.op(Op::s_add, pass.bias.base, before);
    }
    pass.stored = last_contraction(tile);
    if (pass.stored) {  // once around where nothing is stored
      const ScalarReg groups = builder_.constant(1), lanes = builder_.constant(1);
      builder_.when(*pass.stored, false, [&] {
        builder_.set(groups, pass.groups);
        builder_.set(lanes, pass.lanes);
      });
      pass.groups = groups;
      pass.lanes = lanes;
    }
    write_epilogue(builder_, pass);
  }

  KernelBuilder& builder_;
  const MatmulPlan& plan_;
  const KernelMatmul& problem_;
  const MatmulCuts& cuts_;
  const std::int32_t tile_rows_;
  std::optional<KernelBuilder::VmemBuffer> sums_;
};

KernelMatmul problem_of(const KernelArguments& arguments) {
  KernelMatmul problem;
  problem.m = arguments.number("m");
  problem.n = arguments.number("n");
  problem.k = arguments.number("k");
  problem.packed = arguments.choice("dtype") == "bf16";
  problem.transposed = arguments.choice("rhs") == "nk";
  problem.bias = arguments.choice("bias") == "yes";
  problem.in_vmem = arguments.choice("memory") == "vmem";
  const std::string& activation = arguments.choice("epilogue");
  problem.activation = activation == "relu"   ? Activation::relu
                       : activation == "gelu" ? Activation::gelu
                                              : Activation::none;
  return problem;
}

Module reference_of(const KernelMatmul& problem, const Kernel& kernel) {
  GraphBuilder graph("matmul");
  const auto rounded = [&](const KernelArray& array) {
    const InstructionId parameter = graph.parameter(array.shape, array.name);
    return graph.convert(graph.convert(parameter, ElementType::bf16), ElementType::f32);
  };
  const InstructionId a = rounded(kernel.inputs[0]), b = rounded(kernel.inputs[1]);
  std::optional<InstructionId> bias;
  if (problem.bias) bias = graph.parameter(kernel.inputs[2].shape, "bias");
  const InstructionId sums = graph.dot(a, b, {{}, {}, {1}, {problem.transposed ? 1 : 0}});
  const InstructionId root = problem.epilogue().reference(graph, sums, bias);
  return std::move(graph).build(root);
}

std::string name_of(const KernelArguments& arguments) {
  std::string name = "matmul";
  for (const KernelParameter& parameter : matmul_family().parameters) {
    name += fmt::format(" {}={}", parameter.name, arguments.values.at(parameter.name));
  }
  return name;
}

/// How often each array passes between HBM and VMEM, and in which blocks.
std::string passes_of(const MatmulPlan& plan) {
  const KernelMatmul& problem = plan.problem();
  const MatmulCuts& cuts = plan.cuts();
  if (problem.in_vmem) return "none: the arrays are in VMEM before and stay there";
  std::string passes;
  for (const TileStream& stream : plan.tiles().streams) {
    const bool input = stream.role == TileRole::input;
    passes += fmt::format("{} {} {}x, ", input ? "reads" : "writes", stream.name, plan.tiles().passes(stream));
  }
  return passes + fmt::format("in blocks of {} x {}, contraction {}", std::min(8 * cuts.rows, problem.m),
                              std::min(128 * cuts.lanes, problem.n), std::min(128 * cuts.contraction, problem.k));
}

Kernel build_matmul(const hw::Machine& machine, const KernelArguments& arguments) {
  const KernelMatmul problem = problem_of(arguments);
  const ElementType type = problem.packed ? ElementType::bf16 : ElementType::f32;
  Kernel kernel;
  kernel.name = name_of(arguments);
  ArrayPlaces places(machine);
  kernel.inputs.push_back(places.place("a", make_shape(type, {problem.m, problem.k})));
  const std::vector<std::int64_t> b =
      problem.transposed ? std::vector{problem.n, problem.k} : std::vector{problem.k, problem.n};
  kernel.inputs.push_back(places.place("b", make_shape(type, b)));
  if (problem.bias) kernel.inputs.push_back(places.place("bias", make_shape(ElementType::f32, {problem.n})));
  kernel.outputs.push_back(places.place("c", make_shape(type, {problem.m, problem.n})));
  kernel.reference = reference_of(problem, kernel);
  kernel.rounding_steps = double(std::min<std::int64_t>(problem.k, 128) + problem.contraction_tiles() + 4);
  kernel.flops = 2.0 * double(problem.m) * double(problem.n) * double(problem.k);
  KernelBuilder builder(machine, kernel.name);
  if (problem.m > 0 && problem.n > 0) {
    const MatmulAddresses addresses{kernel.inputs[0].address, kernel.inputs[1].address,
                                    problem.bias ? kernel.inputs[2].address : 0, kernel.outputs[0].address};
    const MatmulPlan plan = fastest_matmul_plan(machine, problem, addresses);
    MatmulWriter(builder, plan).write(kernel);
    kernel.tile_op = plan.tile_op(kernel.name);
    kernel.passes = passes_of(plan);
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

}  // namespace podsim::sw
