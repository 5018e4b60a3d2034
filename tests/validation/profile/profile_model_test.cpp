// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/profile_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sw/target_machines.h"

namespace podsim::validation::profile {
namespace {

const std::string header_text =
    "Category,HLO op,#Occurrences,Avg. self time (us),Measured GFLOP/s,Measured Memory BW (GiB/s)\n";

std::vector<ComparedOp> compared(const std::string& rows, const std::optional<noc::Topology>& slice = std::nullopt) {
  return ProfileModel(sw::tpu_v3(), slice).compare(read_profile("p.csv", header_text + rows));
}

// 256 MiB in each direction take the time of a mix of equal streams: (2 + 0.4) / 2 of the bytes at the read rate.
TEST(ProfileModel, ALongCopyTakesItsBytesAndTheTurnaround) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const double bytes = double(256 << 20);
  const std::vector<ComparedOp> ops =
      compared("data formatting,\"%c = f32[65536,1024]{1,0} copy(f32[65536,1024]{1,0} %a)\",1,1500,0,0\n");
  const double wanted = bytes * (2 + machine.hbm.turnaround) / machine.hbm.stream_rate.si();
  EXPECT_NEAR(*ops.at(0).modelled_s / wanted, 1, 0.02);
}

// 2 x 4096^3 FLOPs at the peak of 128 x 128 x 2 cells, six times.
TEST(ProfileModel, ARowOfHighestPrecisionTakesSixPasses) {
  const auto op = [](const std::string& precision) {
    return compared(
               "convolution,\"%d = f32[4096,4096]{1,0} dot(f32[4096,4096]{1,0} %a, f32[4096,4096]{1,0} %b), "
               "lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
               precision + "\",1,5,0,0\n")
        .at(0);
  };
  const sw::TargetMachine machine = sw::tpu_v3();
  const double peak = 2.0 * double(machine.mxu.count * machine.mxu.size * machine.mxu.size) * machine.clock.si();
  const ComparedOp once = op(""), six = op(", operand_precision={highest,highest}");
  EXPECT_EQ(once.products, "f32 as bf16");
  EXPECT_EQ(six.products, "f32 in 6 passes");
  EXPECT_NEAR(*six.modelled_s / (6 * 2 * std::pow(4096.0, 3) / peak), 1, 0.1);
  EXPECT_GT(*six.modelled_s, 5 * *once.modelled_s);
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
  EXPECT_EQ(devices_named(profile, 2048), 8);
  const auto ops = ProfileModel(sw::tpu_v3(), slice).compare(profile);
  // No all-reduce is faster than 2 S (N - 1) / N over all links of a chip.
  const sw::TargetMachine machine = sw::tpu_v3();
  EXPECT_GT(*ops.at(0).modelled_s, 2 * 4194304 * 3.0 / 4 / (2 * 70e9));
  EXPECT_LT(*ops.at(0).modelled_s, 1e-3);
}

std::string row(const std::string& category, const std::string& text, const std::string& gflops = "100",
                const std::string& gib_per_s = "10") {
  return category + ",\"" + text + "\",1,100," + gflops + "," + gib_per_s + "\n";
}

// A core of TPU v3 has 16 GiB: 2^32 numbers of four bytes.
TEST(ProfileModel, ACollectiveOfMoreThanTheMemoryOfACoreIsNotModelled) {
  const std::vector<ComparedOp> ops = compared(row("all-reduce", "%r = f32[4294967297] all-reduce(f32[4294967297] %a)"),
                                               noc::Topology({4, 4}, {true, true}));
  EXPECT_EQ(ops.at(0).not_modelled, "the arrays are larger than a core's memory");
}

// A row beyond the model says so, and the row next to it has the time that it has alone.
TEST(ProfileModel, ARowThatIsNotModelledSaysWhyAndLeavesTheOthersAlone) {
  const std::string good = row("loop fusion", "%g = f32[1024,1024]{1,0} fusion(f32[1024,1024]{1,0} %a), kind=kLoop");
  const std::optional<double> alone = compared(good).at(0).modelled_s;
  ASSERT_TRUE(alone.has_value());
  std::string arrays = "f32[1] %a";
  for (int i = 0; i < 1100; ++i) arrays += ", f32[1] %b";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {row("loop fusion", "%f = f32[0] fusion(f32[128] %a), kind=kLoop"), "the results have no elements"},
      {row("convolution",
           "%c = f32[1024,0] convolution(f32[1024,256] %a, f32[256,512] %b), window={}, dim_labels=bf_io->bf"),
       "the results have no elements"},
      // 10^6 GFLOP/s for 100 us are 10^11 FLOPs; 2^24 elements of the operand are not a multiple of 3.
      {row("loop fusion", "%f = f32[3] fusion(bf16[32,512,1024] %a), kind=kLoop", "1e6"),
       "there are more than 262144 FLOPs per element of every array"},
      {row("loop fusion", "%f = f32[8] fusion(f32[8] %a), kind=kLoop", "1e300"),
       "the count of FLOPs is beyond 2^48, seconds of a core"},
      // 10^8 GiB/s for 100 us are 10^13 bytes, of which 2^42 are 4.4 x 10^12.
      {row("loop fusion", "%f = f32[8] fusion(f32[8] %a), kind=kLoop", "1", "1e8"),
       "the count of bytes is beyond 2^42"},
      {row("loop fusion", "%f = f32[2097152,1048576] fusion(f32[8] %a), kind=kLoop"),
       "the arrays have more than 2^40 elements"},
      // Columns of one element fill 128 lanes each: 2^34 rows of 512 bytes.
      {row("loop fusion", "%f = f32[17179869184,1] fusion(f32[8] %a), kind=kLoop"),
       "the arrays fill more than 2^42 bytes with their padding"},
      {row("loop fusion", "%f = f32[8] fusion(" + arrays + "), kind=kLoop"),
       "a fusion is rebuilt from at most 1024 arrays"},
  };
  for (const auto& [bad, reason] : rows) {
    const std::vector<ComparedOp> ops = compared(bad + good);
    EXPECT_FALSE(ops.at(0).modelled_s.has_value()) << bad;
    EXPECT_EQ(ops.at(0).not_modelled, reason) << bad;
    EXPECT_EQ(ops.at(0).line, 2);
    EXPECT_EQ(ops.at(1).modelled_s, alone) << bad;
  }
}

TEST(ProfileModel, ControlFlowAndCustomCallsSayWhyTheyHaveNoTime) {
  const auto reason = [](const std::string& text) { return compared(row("while", text)).at(0).not_modelled; };
  EXPECT_EQ(reason("%w = (f32[8]{0}, s32[]) while((f32[8]{0}, s32[]) %t), condition=%c, body=%b"),
            "the ops in the bodies of control flow are rows of their own");
  EXPECT_EQ(reason("%c = f32[8]{0} conditional(s32[] %i, f32[8]{0} %a), branch_computations={%p, %q}"),
            "the ops in the bodies of control flow are rows of their own");
  EXPECT_EQ(reason("%c = f32[8]{0} custom-call(f32[8]{0} %a), custom_call_target=\"\"Unheard\"\""),
            "the text does not say what a custom call does");
}

TEST(ProfileModel, PartsOfAsynchronousOpsSayWhyTheyHaveNoTime) {
  for (const std::string op :
       {"copy-start", "copy-done", "slice-start", "async-update", "fusion-start", "fusion-done", "all-reduce-start",
        "all-gather-done", "collective-permute-start", "reduce-scatter-start", "send-done"}) {
    const ComparedOp compared_op =
        compared(row("async", "%c = (f32[8192]{0}, f32[8192]{0}, u32[]) " + op + "(f32[8192]{0} %a)")).at(0);
    EXPECT_FALSE(compared_op.modelled_s.has_value()) << op;
    EXPECT_EQ(compared_op.not_modelled, "an asynchronous op takes what the ops beside it leave of its time") << op;
  }
}

TEST(ProfileModel, ACollectiveWaitsAsLongAsItTakesBeyondItsTransfer) {
  const noc::Topology slice({2, 2}, {false, false});
  for (double measured_us : {1.0, 10000.0}) {
    const std::string row =
        "all-reduce,\"%r = f32[8]{0} all-reduce(f32[8]{0} %a)\",1," + std::to_string(measured_us) + ",0,0\n";
    const ComparedOp op = ProfileModel(sw::tpu_v3(), slice).compare(read_profile("p.csv", header_text + row)).at(0);
    EXPECT_DOUBLE_EQ(op.waiting_s(), std::max(0.0, measured_us * 1e-6 - *op.modelled_s));
  }
  EXPECT_EQ(compared(row("loop fusion", "%g = f32[8]{0} fusion(f32[8]{0} %a), kind=kLoop")).at(0).waiting_s(), 0);
}

TEST(ProfileModel, AGroupThatTheSliceDoesNotHaveIsNotModelled) {
  const noc::Topology slice({2, 2}, {false, false});
  const auto reason = [&](const std::string& groups) {
    const Profile profile = read_profile(
        "p.csv", header_text + row("all-reduce", "%r = f32[8]{0} all-reduce(f32[8]{0} %a), replica_groups=" + groups));
    EXPECT_LE(devices_named(profile, 2048), 2048);
    return ProfileModel(sw::tpu_v3(), slice).compare(profile).at(0).not_modelled;
  };
  EXPECT_EQ(reason("{{0,1,2,3}}"), "");
  EXPECT_EQ(reason("{{0,3000000}}"), "the groups name a core that the slice does not have");
  EXPECT_EQ(reason("{{-1,1}}"), "the groups name a core that the slice does not have");
  EXPECT_EQ(reason("{{0,1},{1,2}}"), "the groups name a core twice");
  EXPECT_EQ(reason("[1,300000000]<=[300000000]"), "the groups cannot be read");
}

// Its window is not that of the kernel, or larger than an image, so the text does not determine the work.
TEST(ProfileModel, AConvolutionWhoseWindowDoesNotFitIsModelledByItsArrays) {
  const auto modelled = [](const std::string& size) {
    return compared(
               row("convolution", "%c = f32[8,8,8,8]{3,2,1,0} convolution(f32[8,8,8,8]{3,2,1,0} %a, f32[" + size +
                                      ",1,8,8]{3,2,1,0} %b), window={size=300000000x1}, dim_labels=b01f_01io->b01f"))
        .at(0)
        .modelled_s;
  };
  EXPECT_TRUE(modelled("300000000").has_value());
  EXPECT_TRUE(modelled("3").has_value());
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
}  // namespace podsim::validation::profile
