// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

/// An all-reduce over eight devices in pairs, within a loop of four trips.
constexpr const char* module_text = R"(HloModule step, is_scheduled=true, num_partitions=8

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

%body (s: (s32[], f32[1024,1024])) -> (s32[], f32[1024,1024]) {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %x = f32[1024,1024] get-tuple-element(%s), index=1
  %y = f32[1024,1024] all-reduce(%x), channel_id=1, replica_groups=[4,2]<=[8], use_global_device_ids=true, to_apply=%add
  %z = f32[1024,1024] negate(%y)
  ROOT %t = (s32[], f32[1024,1024]) tuple(%i, %z)
}

%condition (s: (s32[], f32[1024,1024])) -> pred[] {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  ROOT %c = pred[] compare(%i, %i), direction=LT
}

ENTRY %e (n: s32[], x: f32[1024,1024]) -> (s32[], f32[1024,1024]) {
  %n = s32[] parameter(0)
  %x = f32[1024,1024] parameter(1)
  %t = (s32[], f32[1024,1024]) tuple(%n, %x)
  ROOT %w = (s32[], f32[1024,1024]) while(%t), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"4"}}
}
)";

TEST(RunModule, TakesASliceWithACoreForEachDevice) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  const test::Outcome outcome = folder.run({"run", "step.hlo", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["slice"], "2x2");
  EXPECT_EQ(json["cores"], 8);
  ASSERT_EQ(json["loops"].size(), 1U);
  EXPECT_EQ(json["loops"][0]["name"], "w");
  EXPECT_EQ(json["loops"][0]["trips"], 4);
  ASSERT_EQ(json["collectives"].size(), 1U);
  EXPECT_EQ(json["collectives"][0]["count"], 4);
  EXPECT_EQ(json["collectives"][0]["group_size"], 2);
  EXPECT_EQ(json["collectives"][0]["bytes"], 4 << 20);
  EXPECT_TRUE(json["warnings"].empty());
}

TEST(RunModule, ADotThatIsAMultiplicationTakesTheTimeOfOne) {
  test::Folder folder;
  const std::string head =
      "HloModule m\n\nENTRY e {\n  x = bf16[8,16,128,512] parameter(0)\n  h = bf16[16] parameter(1)\n";
  folder.write("dot.hlo", head +
                              "  ROOT d = bf16[16,8,128,512] dot(x, h), lhs_batch_dims={1}, rhs_batch_dims={0}, "
                              "lhs_contracting_dims={}, rhs_contracting_dims={}\n}\n");
  folder.write("product.hlo", head +
                                  "  t = bf16[16,8,128,512] transpose(x), dimensions={1,0,2,3}\n"
                                  "  b = bf16[16,8,128,512] broadcast(h), dimensions={0}\n"
                                  "  ROOT p = bf16[16,8,128,512] multiply(t, b)\n}\n");
  const auto step = [&](const char* file) {
    const test::Outcome outcome = folder.run({"run", file, "--slice", "1x1", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return double(Json::parse(outcome.out)["step_time_s"]);
  };
  EXPECT_NEAR(step("dot.hlo") / step("product.hlo"), 1, 0.01);
}

TEST(RunModule, SaysThatAScheduledModuleKeepsItsOrder) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  const Json plain = Json::parse(folder.run({"run", "step.hlo", "--json"}).out);
  const Json asked = Json::parse(folder.run({"run", "step.hlo", "--overlap", "collectives", "--json"}).out);
  ASSERT_EQ(asked["warnings"].size(), 1U);
  EXPECT_NE(asked["warnings"][0].get<std::string>().find("scheduled"), std::string::npos);
  EXPECT_EQ(asked["step_time_s"], plain["step_time_s"]);
}

TEST(RunModule, TileAndReplayAgree) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  const auto time = [&](const char* detail) {
    return Json::parse(folder.run({"run", "step.hlo", "--json", "--detail", detail}).out)["step_time_ps"];
  };
  EXPECT_EQ(time("tile"), time("replay"));
}

std::string with_trips(const std::string& trips) {
  std::string text = module_text;
  text.replace(text.find("\"n\":\"4\""), 7, "\"n\":\"" + trips + "\"");
  return text;
}

// Trips that repeat are skipped, also beyond the 1000 s of simulated time that the simulator waits for at once.
TEST(RunModule, ABillionTripsTakeTwiceAsLongAsHalfABillion) {
  test::Folder folder;
  const auto time = [&](const char* trips) {
    folder.write("step.hlo", with_trips(trips));
    const test::Outcome outcome = folder.run({"run", "step.hlo", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["step_time_ps"].get<double>();
  };
  const double whole = time("1000000000");
  EXPECT_GT(whole, 1000e12);
  EXPECT_NEAR(whole / time("500000000"), 2, 1e-6);
}

TEST(RunModule, ALoopBeyondSimulatedTimeIsAVerdict) {
  test::Folder folder;
  folder.write("step.hlo", with_trips("1000000000000000000"));
  const test::Outcome outcome = folder.run({"run", "step.hlo"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("%w has 1000000000000000000 trips and does not end within 1000000 s of simulated time"),
            std::string::npos)
      << outcome.err;
}

/// A large sum along the rows of a torus of 16 x 16 chips, and an array of a few bytes that every core sends to its
/// mirror image: where two axes of a mesh are exchanged.
std::string mirrored_module() {
  std::string pairs;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      for (int core = 0; core < 2; ++core) {
        pairs += (pairs.empty() ? "{" : ",{") + std::to_string(2 * (16 * y + x) + core) + "," +
                 std::to_string(2 * (16 * x + y) + core) + "}";
      }
    }
  }
  return R"(HloModule mirrored, num_partitions=512

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %e (x: f32[32768,4096], s: f32[8]) -> (f32[32768,4096], f32[8]) {
  %x = f32[32768,4096] parameter(0)
  %s = f32[8] parameter(1)
  %y = f32[32768,4096] all-reduce(%x), channel_id=1, replica_groups=[16,32]<=[512], use_global_device_ids=true, to_apply=%add
  %t = f32[8] collective-permute(%s), channel_id=2, source_target_pairs={)" +
         pairs + R"(}
  ROOT %r = (f32[32768,4096], f32[8]) tuple(%y, %t)
}
)";
}

TEST(RunModule, ASmallPermuteThatIsNotTheSameEverywhereDoesNotKeepChipsFromStandingForOthers) {
  test::Folder folder;
  folder.write("mirrored.hlo", mirrored_module());
  const auto run = [&](const char* fold) {
    return Json::parse(folder.run({"run", "mirrored.hlo", "--machine", "tpu-v2", "--json", "--fold", fold}).out);
  };
  const Json folded = run("on"), all = run("off");
  EXPECT_EQ(folded["simulated_chips"], 1);
  EXPECT_EQ(all["simulated_chips"], 256);
  const double step = all["step_time_s"];
  EXPECT_NEAR(folded["step_time_s"].get<double>(), step, 0.01 * step);
}

TEST(RunModule, ASliceOfAnotherSizeIsRefusedWithOneThatFits) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  const test::Outcome outcome = folder.run({"run", "step.hlo", "--slice", "4x4"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("the module is for 8 devices, this slice has 32 cores"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--slice 2x2"), std::string::npos) << outcome.err;
}

// x, y, z and w are 9.125 MiB. At the 16 MiB of c, a and b are live, of 1 MiB each; a is read again, and 1 MiB less is
// needed if it is computed again.
TEST(RunModule, OpsOfAProgramRunOnceMoreIfThatMakesItFit) {
  test::Folder folder;
  folder.write("long_life.hlo", R"(HloModule long_life
ENTRY e {
  x = f32[256,1024] parameter(0)
  y = f32[1024,1024] parameter(1)
  z = f32[4096,256] parameter(2)
  w = f32[8,4096] parameter(3)
  a = f32[256,1024] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[256,1024] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[4096,1024] dot(z, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[8,1024] dot(w, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT e = f32[256,8] dot(a, d), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
)");
  const auto with = [&](const std::string& capacity, const std::string& share) {
    return folder.run({"run", "long_life.hlo", "--set", "hbm.reserved_per_core=\"0 B\"", "--set",
                       "hbm.capacity_per_core=\"" + capacity + "\"", "--set", "compiler.recompute_above=" + share});
  };
  const std::string said = "1 op run once more";
  const test::Outcome enough = with("27776 KiB", "1"), less = with("26752 KiB", "1"), least = with("26751 KiB", "1");
  EXPECT_EQ(enough.code, 0);
  EXPECT_EQ(enough.out.find(said), std::string::npos) << enough.out;
  const test::Outcome full = with("27776 KiB", "0.97");  // 26752 of 27776 are 0.963
  EXPECT_EQ(full.code, 0);
  EXPECT_NE(full.out.find(said), std::string::npos) << full.out;
  EXPECT_EQ(less.code, 0);
  EXPECT_NE(less.out.find(said), std::string::npos) << less.out;
  EXPECT_EQ(least.code, 2) << least.out;
}

TEST(RunModule, WhatDoesNotFitTheHbmIsRefusedAndNamesTheLargestBuffers) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  const test::Outcome outcome =
      folder.run({"run", "step.hlo", "--set", "hbm.reserved_per_core=0 B", "--set", "hbm.capacity_per_core=4 MiB"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("WORKLOAD: error: out of memory: step.hlo needs"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("x 4 MiB"), std::string::npos) << outcome.err;
}

TEST(RunModule, AFileThatIsNotThereAndBrokenTextAreDiagnostics) {
  test::Folder folder;
  EXPECT_EQ(folder.run({"run", "no.hlo"}).code, 2);
  folder.write("broken.hlo", "HloModule m\nENTRY %e () -> f32[] {\n  ROOT %r = f32[ constant(1)\n}\n");
  const test::Outcome outcome = folder.run({"run", "broken.hlo"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("broken.hlo:3:"), std::string::npos) << outcome.err;
}

// The window has one dimension, the operands have two spatial ones.
TEST(RunModule, WhatBreaksARuleOfHloIsRefusedAtItsPlace) {
  test::Folder folder;
  folder.write("broken.hlo", R"(HloModule m
ENTRY main {
  x = f32[8,16,16,4] parameter(0)
  k = f32[3,3,4,4] parameter(1)
  ROOT c = f32[8,16,16,4] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b01f_01io->b01f
}
)");
  const test::Outcome outcome = folder.run({"run", "broken.hlo"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("broken.hlo:5:27: error: c: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("\n    |                           ^~~~~~~~~~~\n"), std::string::npos) << outcome.err;
}

TEST(RunModule, ASizeThatDoesNotFollowIsAWarning) {
  test::Folder folder;
  folder.write("sizes.hlo", R"(HloModule m
ENTRY main {
  x = f32[1024] parameter(0)
  ROOT r = f32[512] slice(x), slice={[0:600]}
}
)");
  const test::Outcome outcome = folder.run({"run", "sizes.hlo", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["warnings"].size(), 1U);
  EXPECT_EQ(json["warnings"][0], "sizes.hlo:4:21: r: has shape f32[512], its operands give f32[600]");
}

// Later operands may come with async-update, between async-start and async-done.
TEST(RunModule, OperandsThatComeWithAnUpdateRun) {
  test::Folder folder;
  folder.write("late.hlo", R"(HloModule m
ENTRY main {
  a = f32[128,128] parameter(0)
  b = f32[128,128] parameter(1)
  s = ((f32[128,128]), (), u32[]) dot-start(a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  u = ((f32[128,128], f32[128,128]), (), u32[]) dot-update(s, b)
  ROOT d = f32[128,128] dot-done(u)
}
)");
  const test::Outcome outcome = folder.run({"run", "late.hlo", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Json::parse(outcome.out)["warnings"].empty());
}

// Its end calls nothing.
TEST(RunModule, AFusionInTheBackgroundRuns) {
  test::Folder folder;
  folder.write("fusion.hlo", R"(HloModule m
body { a = f32[1024] parameter(0)  b = f32[1024] parameter(1)  ROOT add = f32[1024] add(a, b) }
ENTRY main {
  p = f32[1024] parameter(0)
  s = ((f32[1024], f32[1024]), f32[1024], s32[]) fusion-start(p, p), kind=kLoop, calls=body
  ROOT d = f32[1024] fusion-done(s)
}
)");
  const test::Outcome outcome = folder.run({"run", "fusion.hlo", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(RunModule, BatchAndOptimiserAreTheTextsOwn) {
  test::Folder folder;
  folder.write("step.hlo", module_text);
  EXPECT_EQ(folder.run({"run", "step.hlo", "--batch-per-core", "4"}).code, 2);
}

// A step of DLRM's training loop takes 1.228 ms on 32 chips.
TEST(RunModule, AStepOfDlrmTakesWhatItTakesOnSilicon) {
  const std::filesystem::path file = std::filesystem::path(PODSIM_SOURCE_DIR) /
                                     "../shared/hlo_corpus/tpu_v3_mlperf/hlo_after_optimizations_dlrm_32_tpuv3.txt";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/hlo_corpus";
  test::Folder folder;
  const test::Outcome outcome = folder.run({"run", file.string(), "--slice", "8x4", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  double step = 0;
  for (const Json& loop : json["loops"]) {
    if (loop["name"] == "while.13") step = loop["time_s"].get<double>() / loop["trips"].get<double>();
  }
  EXPECT_NEAR(step, 1.228e-3, 0.2 * 1.228e-3);
}

constexpr const char* bytes_text =
    "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[256,256] parameter(0)\n"
    "  ROOT d = f32[256,256] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "metadata={op_name=\"x\xffy\" source_file=\"\xfe\"}\n}\n";

/// True if nlohmann's parser, which checks every byte, takes the text as a JSON string.
bool is_utf8(const std::string& text) {
  const Json json = text;
  try {
    return !json.dump().empty();
  } catch (const Json::type_error&) {
    return false;
  }
}

TEST(RunModule, NamesThatAreNotUtf8AreWrittenWithMarks) {
  test::Folder folder;
  const std::string file = "na\xffme.hlo";
  folder.write(file, bytes_text);
  const test::Outcome outcome = folder.run({"run", file, "--slice", "1x1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["workload"], "na\ufffdme.hlo");
  ASSERT_EQ(folder.run({"run", file, "--slice", "1x1", "-o", "r"}).code, 0);
  ASSERT_EQ(folder.run({"report", "r"}).code, 0);
  for (const std::string& name : folder.names("r")) EXPECT_TRUE(is_utf8(folder.read("r/" + name))) << name;
  EXPECT_NE(folder.read("r/ops.csv").find("x\ufffdy"), std::string::npos);
  const test::Outcome refused = folder.run({"run", "no\xff\x1b[31m", "--slice", "1x1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(is_utf8(refused.err)) << refused.err;
  EXPECT_EQ(refused.err.find('\x1b'), std::string::npos);
}

TEST(RunModule, NamesASliceOnlyIfItHelps) {
  test::Folder folder;
  const auto error = [&](int devices, const std::vector<std::string>& more) {
    folder.write("n.hlo", "HloModule m, is_scheduled=true, num_partitions=" + std::to_string(devices) +
                              "\nENTRY e {\n  p = f32[8,128] parameter(0)\n  ROOT n = f32[8,128] negate(p)\n}\n");
    std::vector<std::string> words{"run", "n.hlo"};
    words.insert(words.end(), more.begin(), more.end());
    return folder.run(words).err;
  };
  const std::string alone = error(3, {}), given = error(3, {"--slice", "2x1"});
  EXPECT_NE(alone.find("WORKLOAD: error: the module is for 3 devices, and no slice of tpu-v3"), std::string::npos)
      << alone;
  EXPECT_EQ(alone.find("--slice"), std::string::npos) << "a flag that was not given: " << alone;
  EXPECT_NE(given.find("--slice: error: the module is for 3 devices, this slice has 4 cores"), std::string::npos);
  EXPECT_EQ(given.find("--slice 2x1"), std::string::npos) << "the slice that was refused: " << given;
  EXPECT_NE(error(8, {"--slice", "1x1"}).find("this slice has 2 cores"), std::string::npos);
  EXPECT_NE(error(8, {"--slice", "1x1"}).find("'--slice 2x2' has as many"), std::string::npos);
}

}  // namespace
}  // namespace podsim
