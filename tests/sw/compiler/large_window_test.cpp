// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/tile_search.h"
#include "tests/hlo/hlo_text.h"
#include "tests/sw/target_machines.h"

// Windows of a gather or scatter that do not fit VMEM: they are divided into tiles as other operands are.
namespace podsim::sw::compiler {
namespace {

struct Cost {
  double moved_bytes = 0, seconds = 0;
};

Cost cost_of(const hlo::Module& module) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const hlo::Computation& entry = module.entry_computation();
  const tiles::OpWork work = tiles::op_work(module, entry, entry.root, machine);
  const hw::TileOp op = tiles::make_tiles(work, tiles::choose_tiling(work, machine, "op"), machine, "op");
  EXPECT_LE(op.vmem, machine.vmem_for_tiles());
  Cost cost;
  for (const hw::TileRun& run : op.runs) {
    for (const auto* transfers : {&run.work.reads, &run.work.writes}) {
      for (const hw::TileTransfer& transfer : *transfers) {
        cost.moved_bytes += double(run.count) * double(transfer.bytes.value());
      }
    }
  }
  cost.seconds = double(hw::timing::simulate_op(machine, op).cycles.value()) / machine.clock.si();
  return cost;
}

/// `rows` rows of 1024 f32, which begin at a given one of a table with 64 more.
Cost gather_of(std::int64_t rows) {
  return cost_of(hlo::testing::graph_of_entry(fmt::format(
      "t = f32[{0},1024] parameter(0)\n i = s32[1] parameter(1)\n"
      "ROOT r = f32[{1},1024] gather(t, i), offset_dims={{0,1}}, collapsed_slice_dims={{}}, start_index_map={{0}}, "
      "index_vector_dim=0, slice_sizes={{{1},1024}}",
      rows + 64, rows)));
}

Cost scatter_of(std::int64_t rows) {
  return cost_of(hlo::testing::graph_of_entry(
      fmt::format("t = f32[{0},1024] parameter(0)\n i = s32[1] parameter(1)\n u = f32[{1},1024] parameter(2)\n"
                  "ROOT r = f32[{0},1024] scatter(t, i, u), update_window_dims={{0,1}}, inserted_window_dims={{}}, "
                  "scatter_dims_to_operand_dims={{0}}, index_vector_dim=0, to_apply=add_f32",
                  rows + 64, rows),
      hlo::testing::scalar_functions));
}

// A gather reads and writes its window; a scatter reads the window and the updates and writes the window.
TEST(LargeWindow, MovesItsBytesOnce) {
  const sw::TargetMachine machine = sw::tpu_v3();
  for (const std::int64_t rows : {2048, 4096, 16384, 32768}) {
    const double window = double(rows) * 1024 * 4;
    const Cost gather = gather_of(rows), scatter = scatter_of(rows);
    EXPECT_NEAR(gather.moved_bytes / (2 * window), 1, 0.01) << rows;
    EXPECT_NEAR(scatter.moved_bytes / (3 * window), 1, 0.01) << rows;
    EXPECT_GE(gather.seconds, 2 * window / machine.hbm.stream_rate.si()) << rows;
    EXPECT_GE(scatter.seconds, 3 * window / machine.hbm.stream_rate.si()) << rows;
  }
}

// Four buffers of a scatter's window fill VMEM at 4 MiB, two of a gather's and two of its result likewise: the next row
// block is no step in time.
TEST(LargeWindow, CostsNoMoreWhereItNoLongerFitsVmem) {
  for (const auto& cost : {gather_of, scatter_of}) {
    for (const std::int64_t rows : {1024, 2048, 4096}) {
      const double fits = cost(rows - 8).seconds, beyond = cost(rows + 8).seconds;
      EXPECT_NEAR(beyond / fits, double(rows + 8) / double(rows - 8), 0.05) << rows;
    }
    EXPECT_NEAR(cost(32768).seconds / cost(16384).seconds, 2, 0.05);
  }
}

// The gradient of a kernel of 16 x 16 that moves by 16 on 224 x 224: each output row reads rows of its own, so whatever
// the tiles, no row is needed often. The oracle is the padded size of the arrays.
TEST(LargeWindow, AGradientOfPatchesReadsItsImagesOnceWhateverTheBatch) {
  for (const std::int64_t batch : {1, 2, 3, 4, 5, 8, 16}) {
    const hlo::Module module = hlo::testing::graph_of_entry(fmt::format(
        "x = bf16[{0},224,224,3]{{0,2,3,1}} parameter(0)\n y = bf16[{0},14,14,768]{{3,0,2,1}} parameter(1)\n"
        "ROOT r = bf16[16,16,3,768]{{3,1,2,0}} convolution(x, y), window={{size=14x14 rhs_dilate=16x16}}, "
        "dim_labels=f01b_i01o->01bf",
        batch));
    double whole = 0;
    for (const hlo::Instruction& array : module.entry_computation().instructions) {
      whole += double(hlo::padded_bytes(array.shape).value());
    }
    EXPECT_LE(cost_of(module).moved_bytes, 2 * whole) << batch;
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
