// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/profile_model.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"

namespace podsim::sw::profile {
namespace {

const std::string header_text =
    "Category,HLO op,#Occurrences,Avg. self time (us),Measured GFLOP/s,Measured Memory BW (GiB/s)\n";

std::vector<ComparedOp> compared(const std::string& rows) {
  return ProfileModel(hw::tpu_v3(), std::nullopt).compare(read_profile("p.csv", header_text + rows));
}

// 256 MiB each way take the time of a mix of equal streams: (2 + 0.4) / 2 of the bytes at the read rate.
TEST(ProfileModel, ALongCopyTakesItsBytesAndTheTurnaround) {
  const hw::Machine machine = hw::tpu_v3();
  const double bytes = double(256 << 20);
  const std::vector<ComparedOp> ops =
      compared("data formatting,\"%c = f32[65536,1024]{1,0} copy(f32[65536,1024]{1,0} %a)\",1,1500,0,0\n");
  const double wanted = bytes * (2 + machine.hbm.turnaround) / machine.hbm.stream_rate.si();
  EXPECT_NEAR(*ops.at(0).modelled_s / wanted, 1, 0.02);
}

TEST(ProfileModel, AnInfeedTakesAMicrosecondATensor) {
  const std::vector<ComparedOp> ops =
      compared("infeed,\"%i = ((f32[128]{0}, f32[128]{0}, f32[128]{0}), token[]) infeed(token[] %t)\",1,3,0,0\n");
  EXPECT_NEAR(*ops.at(0).modelled_s, 3e-6, 0.1e-6);
}

TEST(ProfileModel, OperandsWithoutShapesAreThoseOfTheOpsThatMadeThem) {
  const std::vector<ComparedOp> ops = compared(
      "data formatting,\"%a.1 = f32[8192,1024]{1,0} copy(f32[8192,1024]{1,0} %x)\",1,200,0,0\n"
      "data formatting,\"%b.2 = f32[8192,1024]{1,0} copy(%a.1)\",1,200,0,0\n");
  EXPECT_EQ(ops.at(0).modelled_s, ops.at(1).modelled_s);
}

TEST(ProfileModel, RowsWithoutTextAndCollectivesWithoutASliceAreNotModelled) {
  const std::vector<ComparedOp> ops = compared(
      "unknown,unknown,2,5,0,0\n"
      "all-reduce,\"%r = f32[8]{0} all-reduce(f32[8]{0} %a), replica_groups={{0,1}}\",1,5,0,0\n");
  EXPECT_FALSE(ops.at(0).modelled_s.has_value());
  EXPECT_FALSE(ops.at(1).modelled_s.has_value());
}

TEST(ProfileModel, AnAllReduceIsTheCollectiveOnTheSlice) {
  const noc::Topology slice({2, 2}, {false, false});
  const std::string row =
      "all-reduce,\"%r = f32[1048576]{0} all-reduce(f32[1048576]{0} %a), "
      "replica_groups={{0,1,2,3,4,5,6,7}}\",1,5,0,0\n";
  const Profile profile = read_profile("p.csv", header_text + row);
  EXPECT_EQ(devices_named(profile), 8);
  const auto ops = ProfileModel(hw::tpu_v3(), slice).compare(profile);
  // No all-reduce is faster than 2 S (N - 1) / N over all links of a chip.
  const hw::Machine machine = hw::tpu_v3();
  EXPECT_GT(*ops.at(0).modelled_s, 2 * 4194304 * 3.0 / 4 / (2 * 70e9));
  EXPECT_LT(*ops.at(0).modelled_s, 1e-3);
}

TEST(ProfileTotals, ErrorIsWeightedByTimeAndBiasHasASign) {
  ProfileTotals totals;
  totals.add({.name = "", .category = "", .hlo_text = "", .occurrences = 2, .measured_s = 10, .modelled_s = 12});
  totals.add({.name = "", .category = "", .hlo_text = "", .occurrences = 1, .measured_s = 20, .modelled_s = 15});
  totals.add({.name = "", .category = "", .hlo_text = "", .occurrences = 1, .measured_s = 99, .modelled_s = {}});
  EXPECT_DOUBLE_EQ(totals.mean_absolute_error(), 9.0 / 40);
  EXPECT_DOUBLE_EQ(totals.bias(), -1.0 / 40);
  EXPECT_EQ(totals.ops, 2);
}

}  // namespace
}  // namespace podsim::sw::profile
