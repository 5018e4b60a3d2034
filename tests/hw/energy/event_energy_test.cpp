// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/event_energy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "hw/memory/dram/memory_traffic.h"
#include "tests/hw/random_op.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::energy {
namespace {

using base::Bytes;

// Table 2 of ISCA 2021 between 45 and 7 nm: 0.35 pJ of a bf16 multiply and 0.56 pJ of an f32 add.
TEST(EventEnergy, OfAProductIsItsMultiplyAddsAndTheUnitsOverhead) {
  const Machine& v3 = the_tpu_v3();
  Activity done;
  done.units.of<Mxu>().multiply_accumulates = 1'000'000;
  const PartValues joules = event_joules(v3, done);
  EXPECT_NEAR(of(joules, "mxu"), 1e6 * (0.35e-12 + 0.56e-12) * v3.energy.unit_overhead, 1e-15);
  EXPECT_DOUBLE_EQ(sum(joules), of(joules, "mxu"));
}

// int8: 0.11 pJ of a multiply, 0.05 pJ of an int32 add.
TEST(EventEnergy, OfProductsInTypesOfEightBitsIsTheirs) {
  const Machine with_s8 = tpu_v3_with({"mxu.s8_products=2"});
  const Activity done = activity(
      with_s8, TilePhase(MxuWork{.weight_tiles = 1, .rows = 128, .product = parts::mxu::Product::s8, .depth = 0}));
  EXPECT_EQ(done.units.of<Mxu>().s8_products, 128 * 128 * 128);
  const double macs = 128.0 * 128 * 128;
  EXPECT_NEAR(of(event_joules(with_s8, done), "mxu"), macs * 0.16e-12 * with_s8.energy.unit_overhead, macs * 1e-15);
}

// CACTI: the energy of a bit grows by 0.48 decades a decade of bytes.
TEST(EventEnergy, OfVmemFollowsItsSize) {
  Activity done;
  done.vmem_read = Bytes(4096);
  const double v3 = of(event_joules(the_tpu_v3(), done), "vmem");
  EXPECT_NEAR(v3, 4096 * 8 * 0.2e-12, 1e-15);
  const double larger = of(event_joules(tpu_v3_with({"core.vmem=160 MiB"}), done), "vmem");
  EXPECT_NEAR(larger / v3, std::pow(10, 0.48), 1e-9);
}

// The memory itself: O'Connor et al. (MICRO 2017) 3.92 pJ a bit of HBM2 in all, ISCA 2021 3.9 to 7. Streams open rows
// once, so that they are at the lower end; rows of 64 bytes open a row each. With controllers and the way across the
// chip boards of A100 take 13.1 pJ (SC'25).
TEST(EventEnergy, OfABitOfHbmIsInThePublishedRange) {
  TileOp stream{"stream", {}, {}}, gather{"gather", {}, {}};
  stream.runs.push_back({1, {{{Bytes(1 << 20)}}, {}, {}}});
  gather.runs.push_back({1, {{{Bytes(1 << 20), AccessShape::scattered(Bytes(64), Bytes(1 << 28))}}, {}, {}}});
  const double bits = 8.0 * (1 << 20);
  const auto of_bit = [&](const TileOp& op, const char* part) {
    return of(event_joules(the_tpu_v3(), activity(the_tpu_v3(), op)), part) / bits;
  };
  const double path = the_tpu_v3().energy.hbm_path;
  EXPECT_NEAR(of_bit(stream, "hbm") - path, 3.92e-12, 0.1 * 3.92e-12);
  EXPECT_GT(of_bit(gather, "hbm") - path, 3.9e-12);
  EXPECT_LT(of_bit(gather, "hbm") - path, 7e-12);
  EXPECT_NEAR(of_bit(stream, "hbm") + of_bit(stream, "wires"), 13.1e-12, 0.05 * 13.1e-12);
}

// The oracle is the memory bank by bank without refreshes: a stream opens a row for each KiB, and once more where
// another row of its bank came in between.
TEST(EventEnergy, CountsTheRowsThatBanksOpen) {
  const Machine v3 = tpu_v3_with({"hbm.refresh=none"});
  TileOp stream{"stream", {}, {}};
  stream.runs.push_back({1, {{{Bytes(4 << 20)}}, {}, {}}});
  const memory::dram::MemoryStream read = memory::dram::MemoryStream::sequential(Direction::read, 0, Bytes(4 << 20));
  const std::vector<memory::dram::MemoryStream> streams{read};
  const auto banks = memory::dram::run_memory_traffic(v3.dram, streams, 128);
  EXPECT_NEAR(double(activity(v3, stream).op_rows), double(banks.activates), 0.05 * double(banks.activates));
}

RC_GTEST_PROP(EventEnergy, OfTwoOpsIsTheSumOfTheirs, ()) {
  const Machine& v3 = the_tpu_v3();
  const Activity one = activity(v3, random_op(3, 5)), other = activity(v3, random_op(3, 5));
  Activity both = one;
  add(other, 1, both);
  const double expected = sum(event_joules(v3, one)) + sum(event_joules(v3, other));
  RC_ASSERT(std::abs(sum(event_joules(v3, both)) - expected) <= 1e-9 * expected);
}

}  // namespace
}  // namespace podsim::hw::energy
