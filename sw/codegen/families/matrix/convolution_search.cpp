// SPDX-License-Identifier: Apache-2.0
// Part of sw/codegen/families/matrix/convolution_plan.h.
#include <optional>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hw/isa/fixed_sizes.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/block_sizes.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/matrix/convolution_plan.h"
#include "sw/codegen/families/matrix/matrix_grid.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;

namespace {

constexpr std::int64_t max_convolution_tiles = 4096;

class ConvolutionSearch {
 public:
  ConvolutionSearch(const TargetMachine& machine, const ConvolutionProblem& problem,
                    const ConvolutionAddresses& addresses)
      : machine_(machine), problem_(problem), addresses_(addresses), pipeline_(machine) {
    const compiler::tiles::Tiling tiling = compiler::tiles::choose_tiling(
        work_of_op(convolution_op(problem), machine), machine, "conv2d",
        [](const compiler::tiles::Tiling& candidate) { return candidate.contraction == 1 && candidate.batch == 1; });
    rows_ = tiling.rows;
    lanes_ = std::min(tiling.lanes, problem.output_blocks());
  }

  std::optional<PricedConvolution> run() {
    const std::int64_t most = problem_.groups() * problem_.out_h();
    for (; !best_ && rows_ <= most; rows_ *= 2) consider_all();
    return best_;
  }

 private:
  /// A tiling, and the cycles of a tile's matrix pass per tap and block of input channels.
  struct Patch {
    ConvolutionTiling tiling;
    std::int64_t cycles = 0;
  };

  /// Plans with rows_ to twice as many blocks of rows.
  void consider_all() {
    const std::int64_t groups = problem_.images_in_sublanes ? problem_.groups() : 1;
    const std::int64_t images = problem_.images_in_sublanes ? 1 : problem_.groups();
    for (std::int64_t channels : block_sizes(problem_.output_blocks())) {
      if (divide_round_up(problem_.output_blocks(), channels) < lanes_) continue;
      for (std::int64_t group : block_sizes(groups)) {
        for (std::int64_t lines : block_sizes(problem_.out_h())) {
          const std::int64_t rows = images * divide_round_up(groups, group) * divide_round_up(problem_.out_h(), lines);
          if (rows >= rows_ && rows < 2 * std::max(rows_, images)) consider(channels, group, lines);
        }
      }
    }
  }

  void consider(std::int64_t channels, std::int64_t groups, std::int64_t lines) {
    const std::optional<Patch> patch = fastest_patch({channels, groups, lines, 1, 1, 1, {}});
    if (!patch || beyond_best(*patch)) return;
    const ConvolutionPlan plan(problem_, patch->tiling, addresses_);
    if (plan.tiles().tiles() > max_convolution_tiles ||
        plan.tiles().vmem_rows() * builder::vmem_row_bytes > machine_.vmem.value())
      return;
    const base::Cycles charge = plan.tiles().tiles() * (machine_.dma.read_latency + machine_.dma.write_latency);
    const base::Cycles cycles = pipeline_.estimate(plan.tile_op("")) + charge;
    if (!best_ || cycles < best_->cycles) best_ = PricedConvolution{plan, cycles};
  }

  /// Returns true if the matrix passes of whole tiles alone take at least as long as the best plan so far.
  bool beyond_best(const Patch& patch) const {
    const ConvolutionTiling& tiling = patch.tiling;
    const std::int64_t tiles = (problem_.output_blocks() / tiling.channels) * (problem_.groups() / tiling.groups) *
                               (problem_.out_h() / tiling.lines);
    const std::int64_t contraction = problem_.contraction_steps();
    return best_ && base::Cycles(tiles * contraction * patch.cycles) >= best_->cycles;
  }

  std::optional<Patch> fastest_patch(const ConvolutionTiling& tile) const {
    std::optional<Patch> best;
    const int units = hw::isa::matrix_units(machine_);
    for (int row_units = 1; row_units <= units; ++row_units) {
      if (units % row_units != 0) continue;
      ConvolutionTiling tiling = tile;
      tiling.grid = {row_units, units / row_units};
      if (!ConvolutionPlan::movable(problem_, tiling)) continue;
      for (std::int64_t columns : divisors(problem_.output_columns())) {
        for (std::int64_t groups : divisors(tile.groups)) {
          tiling.patch_columns = columns;
          tiling.patch_groups = groups;
          for (tiling.patch_lines = 1; tiling.patch_lines <= max_patch_lines(tiling); ++tiling.patch_lines) {
            if (tiling.patch() % row_units != 0) continue;
            const std::int64_t cycles = pass_cycles(tiling);
            if (!best || cycles < best->cycles) best = Patch{tiling, cycles};
          }
        }
      }
    }
    return best;
  }

  /// Returns the maximum number of lines of a patch. Lines beyond those of the tile are wasted work, but a patch may be
  /// rounded up to equal shares of the units.
  static std::int64_t max_patch_lines(const ConvolutionTiling& tiling) {
    const std::int64_t most = max_registers * tiling.grid.row_units / (tiling.patch_columns * tiling.patch_groups);
    return std::min(most, base::round_up(tiling.lines, std::int64_t(tiling.grid.row_units)));
  }

  std::int64_t pass_cycles(const ConvolutionTiling& tiling) const {
    const std::int64_t steps = base::divide_round_up(tiling.lines, tiling.patch_lines) *
                               (problem_.output_columns() / tiling.patch_columns) *
                               (tiling.groups / tiling.patch_groups) *
                               base::divide_round_up(tiling.channels, std::int64_t(tiling.grid.column_units));
    return steps *
           std::max(builder::register_rows * tiling.patch() / tiling.grid.row_units, weight_cycles(machine_, false));
  }

  const TargetMachine& machine_;
  const ConvolutionProblem& problem_;
  const ConvolutionAddresses& addresses_;
  hw::timing::TilePipeline pipeline_;
  std::int64_t rows_ = 1, lanes_ = 1;  ///< blocks of the compiler's tiling
  std::optional<PricedConvolution> best_;
};

}  // namespace

hlo::Module convolution_op(const ConvolutionProblem& problem) {
  hlo::build::GraphBuilder graph("conv2d");
  const hlo::ElementType type = problem.packed ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  const auto images = [&](hlo::Shape shape) {
    if (problem.images_in_sublanes) shape.minor_to_major = {3, 0, 2, 1};
    return shape;
  };
  hlo::WindowDimension window;
  window.size = problem.kernel;
  window.stride = problem.stride;
  window.padding_low = window.padding_high = problem.pad;
  const hlo::InstructionId input =
      graph.parameter(images(hlo::make_shape(type, {problem.n, problem.h, problem.w, problem.cin})), "input");
  const hlo::InstructionId weights =
      graph.parameter(hlo::make_shape(type, {problem.kernel, problem.kernel, problem.cin, problem.cout}), "weights");
  const hlo::InstructionId result =
      graph.convolution(input, weights, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  hlo::Module op = std::move(graph).build(result);
  hlo::Computation& entry = op.computations[std::size_t(op.entry)];
  entry[entry.root].shape = images(entry[entry.root].shape);
  return op;
}

std::optional<PricedConvolution> compiled_convolution(const TargetMachine& machine, const ConvolutionProblem& problem,
                                                      const ConvolutionAddresses& addresses) {
  return ConvolutionSearch(machine, problem, addresses).run();
}

}  // namespace podsim::sw::codegen::families::matrix
