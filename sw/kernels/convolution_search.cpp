// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "hw/tile_pipeline.h"
#include "sw/kernels/block_sizes.h"
#include "sw/kernels/convolution_plan.h"
#include "sw/kernels/matrix_grid.h"

namespace podsim::sw {

using base::divide_round_up;

namespace {

constexpr std::int64_t most_tiles = 4096;
constexpr std::int64_t vmem_row_bytes = 512;

class Search {
 public:
  Search(const hw::Machine& machine, const ConvolutionProblem& problem, const ConvolutionAddresses& addresses)
      : machine_(machine), problem_(problem), addresses_(addresses), pipeline_(machine) {}

  std::optional<PricedConvolution> run() {
    const std::int64_t groups = problem_.images_in_sublanes ? problem_.groups() : 1;
    for (std::int64_t channels : block_sizes(problem_.output_blocks())) {
      for (std::int64_t group : block_sizes(groups)) {
        for (std::int64_t lines : block_sizes(problem_.out_h())) consider(channels, group, lines);
      }
    }
    return best_;
  }

 private:
  /// Cuts whose tile's matrix pass takes `cycles` per tap and block of input channels.
  struct Patch {
    ConvolutionCuts cuts;
    std::int64_t cycles = 0;
  };

  void consider(std::int64_t channels, std::int64_t groups, std::int64_t lines) {
    const std::optional<Patch> patch = fastest_patch({channels, groups, lines, 1, 1, 1, {}});
    if (!patch || beyond_best(*patch)) return;
    const ConvolutionPlan plan(problem_, patch->cuts, addresses_);
    if (plan.tiles().tiles() > most_tiles || plan.tiles().vmem_rows() * vmem_row_bytes > machine_.vmem.value()) return;
    const base::Cycles charge = plan.tiles().tiles() * (machine_.dma.read_latency + machine_.dma.write_latency);
    const base::Cycles cycles = pipeline_.estimate(plan.tile_op("")) + charge;
    if (!best_ || cycles < best_->cycles) best_ = PricedConvolution{plan, cycles};
  }

  /// Whether whole tiles' matrix passes alone take longer than the best plan.
  bool beyond_best(const Patch& patch) const {
    const ConvolutionCuts& cuts = patch.cuts;
    const std::int64_t tiles = (problem_.output_blocks() / cuts.channels) * (problem_.groups() / cuts.groups) *
                               (problem_.out_h() / cuts.lines);
    const std::int64_t contraction = problem_.contraction_steps();
    return best_ && base::Cycles(tiles * contraction * patch.cycles) >= best_->cycles;
  }

  std::optional<Patch> fastest_patch(const ConvolutionCuts& tile) const {
    std::optional<Patch> best;
    const int units = matrix_units(machine_);
    for (int row_units = 1; row_units <= units; ++row_units) {
      if (units % row_units != 0) continue;
      ConvolutionCuts cuts = tile;
      cuts.grid = {row_units, units / row_units};
      if (!ConvolutionPlan::movable(problem_, cuts)) continue;
      for (std::int64_t columns : divisors(problem_.output_columns())) {
        for (std::int64_t groups : divisors(tile.groups)) {
          cuts.patch_columns = columns;
          cuts.patch_groups = groups;
          for (cuts.patch_lines = 1; cuts.patch_lines <= most_patch_lines(cuts); ++cuts.patch_lines) {
            if (cuts.patch() % row_units != 0) continue;
            const std::int64_t cycles = pass_cycles(cuts);
            if (!best || cycles < best->cycles) best = Patch{cuts, cycles};
          }
        }
      }
    }
    return best;
  }

  /// Lines beyond the tile's are computed for nothing; a patch of one line more fills the last unit's share.
  static std::int64_t most_patch_lines(const ConvolutionCuts& cuts) {
    const std::int64_t most = most_registers * cuts.grid.row_units / (cuts.patch_columns * cuts.patch_groups);
    return std::min(most, base::round_up(cuts.lines, std::int64_t(cuts.grid.row_units)));
  }

  std::int64_t pass_cycles(const ConvolutionCuts& cuts) const {
    const std::int64_t steps = divide_round_up(cuts.lines, cuts.patch_lines) *
                               (problem_.output_columns() / cuts.patch_columns) * (cuts.groups / cuts.patch_groups) *
                               divide_round_up(cuts.channels, std::int64_t(cuts.grid.column_units));
    return steps * std::max(8 * cuts.patch() / cuts.grid.row_units, weight_cycles(machine_, false));
  }

  const hw::Machine& machine_;
  const ConvolutionProblem& problem_;
  const ConvolutionAddresses& addresses_;
  hw::TilePipeline pipeline_;
  std::optional<PricedConvolution> best_;
};

}  // namespace

std::optional<PricedConvolution> cheapest_convolution(const hw::Machine& machine, const ConvolutionProblem& problem,
                                                      const ConvolutionAddresses& addresses) {
  return Search(machine, problem, addresses).run();
}

}  // namespace podsim::sw
