// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"

// `podsim hlo` as a user runs it.
namespace podsim::test {
namespace {

const std::string sums = R"(HloModule sums, num_partitions=2

add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }

ENTRY main {
  values = f32[2,2] parameter(0)
  counts = s32[2] parameter(1)
  total = f32[2,2] all-reduce(values), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  ROOT both = (f32[2,2], s32[2]) tuple(total, counts)
}
)";

TEST(Hlo, ChecksFilesAndPointsAtWhatIsWrong) {
  const Folder folder;
  folder.write("good.hlo", sums);
  std::string text = sums;
  text.replace(text.find("tuple(total"), 11, "tuple(totla");
  folder.write("bad.hlo", text);
  const Outcome outcome = folder.run({"hlo", "check", "good.hlo", "bad.hlo"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "good.hlo: ok, 1 module, 2 computations, 7 instructions\nbad.hlo: 1 error\n");
  EXPECT_NE(outcome.err.find("bad.hlo:9:40: error: 'totla' is not defined"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean 'total'?"), std::string::npos);
}

TEST(Hlo, PrintsWhatItPrintedAgain) {
  const Folder folder;
  folder.write("a.hlo", sums);
  const Outcome first = folder.run({"hlo", "print", "a.hlo"});
  ASSERT_EQ(first.code, 0) << first.err;
  folder.write("b.hlo", first.out);
  EXPECT_EQ(folder.run({"hlo", "print", "b.hlo"}).out, first.out);
}

/// Two sums of one exponential, which become one fusion.
const std::string chain = R"(HloModule chain
ENTRY main {
  x = f32[64,128] parameter(0)
  y = f32[64,128] exponential(x)
  z = f32[64,128] add(y, x)
  ROOT r = f32[64,128] multiply(z, y)
}
)";

TEST(Hlo, DumpsWhatEveryPassLeaves) {
  const Folder folder;
  folder.write("chain.hlo", chain);
  const Outcome dumped = folder.run({"hlo", "print", "chain.hlo", "--dump-passes", "passes"});
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  const std::vector<std::string> files = folder.names("passes");
  std::istringstream lines(dumped.out);
  std::string line, pass, count, file, before;
  std::getline(lines, line);
  std::size_t written = 0, rows = 0;
  while (std::getline(lines, line)) {
    ++rows;
    std::istringstream(line) >> pass >> count >> file;
    const std::string text = folder.run({"hlo", "print", "chain.hlo", "--after", pass}).out;
    if (file == "unchanged") {
      EXPECT_EQ(text, before) << pass;
    } else {
      EXPECT_EQ(folder.read("passes/" + file), text) << pass;
      EXPECT_NE(text, before) << pass;
      ++written;
    }
    before = text;
  }
  EXPECT_EQ(files.size(), written);
  EXPECT_GT(rows, written) << "some pass finds nothing to do in this module";
  EXPECT_NE(before.find("fusion("), std::string::npos) << "the last text is the fused one";
}

TEST(Hlo, DumpsThePassesOfOneProgram) {
  const Folder folder;
  folder.write("chain.hlo", chain);
  const Outcome outcome = folder.run({"hlo", "print", "chain.hlo", "chain.hlo", "--dump-passes", "passes"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--dump-passes is for one program"), std::string::npos);
}

TEST(Hlo, CountsWhatIsInAModule) {
  const Folder folder;
  folder.write("a.hlo", sums);
  const Outcome outcome = folder.run({"hlo", "stats", "a.hlo", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& module = json["modules"][0];
  EXPECT_EQ(module["instructions"], 7);
  EXPECT_EQ(module["partitions"], 2);
  EXPECT_EQ(module["parameter_bytes"], 4 * 4 + 2 * 4);
  EXPECT_EQ(module["collectives"][0]["bytes"], 16);
}

TEST(HloOps, AnswersEveryQuestionOfEveryOperationOrSaysWhyNot) {
  const Folder folder;
  const Outcome outcome = folder.run({"hlo", "ops", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  // The opcodes of HLO but for eleven that texts alone have: the starts and ends of all-gather, all-reduce, copy and
  // collective-permute, and async-start, async-update and async-done.
  EXPECT_EQ(json["operations"].size(), std::size_t(133 - 11));
  for (const auto& row : json["operations"]) {
    for (const char* question :
         {"shape", "value", "gradient", "flops", "merge", "sharding", "partition", "layout", "work"}) {
      ASSERT_TRUE(row.contains(question)) << row;
      EXPECT_EQ(row[question].get<bool>(), !row.contains(std::string(question) + "_why_not")) << row;
    }
  }
  const auto& dialects = json["dialects"];
  EXPECT_TRUE(std::ranges::count(dialects["stablehlo"], "dot_general") == 1) << dialects;
  EXPECT_TRUE(std::ranges::count(dialects["chlo"], "digamma") == 1) << dialects;
}

/// What a command does with an operation is what `hlo ops` says of it.
TEST(HloOps, GivesTheReasonOfTheMessageThatAUserGets) {
  const Folder folder;
  folder.write("a.hlo",
               "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  n = s32[] constant(2)\n"
               "  d = f32[<=4] set-dimension-size(x, n), dimensions={0}\n  y = f32[<=4] multiply(d, d)\n"
               "  z = f32[] constant(0)\n  ROOT s = f32[] reduce(y, z), dimensions={0}, to_apply=add\n}\n");
  std::string text = folder.read("a.hlo");
  text.replace(text.find("ENTRY"), 0,
               "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n");
  folder.write("a.hlo", text);
  const auto row =
      nlohmann::json::parse(folder.run({"hlo", "ops", "set-dimension-size", "--json"}).out)["operations"][0];
  ASSERT_FALSE(row["gradient"].get<bool>());
  const Outcome outcome = folder.run({"hlo", "grad", "a.hlo", "--parameters", "0"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find(row["gradient_why_not"].get<std::string>()), std::string::npos) << outcome.err;
}

TEST(HloOps, SuggestsANameForOneThatIsNone) {
  const Folder folder;
  const Outcome outcome = folder.run({"hlo", "ops", "sorrt"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'sort'?"), std::string::npos) << outcome.err;
}

TEST(HloEval, TakesLiteralsByOrderByNameAndByDevice) {
  const Folder folder;
  folder.write("a.hlo", sums);
  folder.write("values.txt", "// for both devices\n{ {1, 2}, {3, 4} }\n{5, 6}\nvalues@1 = { {0.5, 0}, {0, -1} }\n");
  const Outcome outcome = folder.run({"hlo", "eval", "a.hlo", "--args", "values.txt"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string device = "  (\n    f32[2,2] { {1.5, 2}, {3, 3} }\n    s32[2] {5, 6}\n  )\n";
  EXPECT_EQ(outcome.out, "device 0\n" + device + "device 1\n" + device);
}

/// A .npy file of version 1.
std::string npy(const std::string& type, const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + bytes;
}

TEST(HloEval, TakesNpyFiles) {
  const Folder folder;
  folder.write("a.hlo", sums);
  // 1.0, 2.0, -1.0, 0.5 as f32; 7 and -1 as 64-bit integers.
  folder.write("values.npy", npy("<f4", "2, 2", std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x80\xbf\0\0\0\x3f", 16)));
  folder.write("counts.npy", npy("<i8", "2,", std::string("\7\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16)));
  const Outcome outcome = folder.run({"hlo", "eval", "a.hlo", "--json", "--args", "counts=counts.npy", "values.npy"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema_version"], 1);
  ASSERT_EQ(json["results"].size(), 2u);
  const auto& elements = json["results"][0]["elements"];
  EXPECT_EQ(elements[0]["value"], nlohmann::json::parse("[[2.0, 4.0], [-2.0, 1.0]]"));
  EXPECT_EQ(elements[1]["value"], nlohmann::json::parse("[7, -1]"));
}

TEST(HloEval, TakesNpyFilesOfComplexNumbers) {
  const Folder folder;
  folder.write("a.hlo", "HloModule m\nENTRY e {\n  x = c64[1] parameter(0)\n  ROOT r = c64[1] negate(x)\n}\n");
  folder.write("b.hlo", "HloModule m\nENTRY e {\n  x = f32[1] parameter(0)\n  ROOT r = f32[1] negate(x)\n}\n");
  // 1 - 2i as two f32.
  folder.write("x.npy", npy("<c8", "1,", std::string("\0\0\x80\x3f\0\0\0\xc0", 8)));
  const Outcome outcome = folder.run({"hlo", "eval", "a.hlo", "--json", "--args", "x.npy"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["results"][0]["value"], nlohmann::json::parse("[[-1.0, 2.0]]"));
  const Outcome real = folder.run({"hlo", "eval", "b.hlo", "--args", "x.npy"});
  EXPECT_EQ(real.code, 2);
  EXPECT_NE(real.err.find("an array of complex numbers is no f32[1]"), std::string::npos) << real.err;
}

TEST(HloEval, RandomArgumentsFollowFromTheSeed) {
  const Folder folder;
  folder.write("a.hlo", sums);
  const auto run = [&](const std::string& seed) { return folder.run({"hlo", "eval", "a.hlo", "--seed", seed}).out; };
  EXPECT_EQ(run("1"), run("1"));
  EXPECT_NE(run("1"), run("2"));
}

TEST(HloEval, PointsAtArgumentsThatDoNotFit) {
  const Folder folder;
  folder.write("a.hlo", sums);
  const auto fails = [&](const std::string& text, const std::string& expected) {
    folder.write("values.txt", text);
    const Outcome outcome = folder.run({"hlo", "eval", "a.hlo", "--args", "values.txt"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err;
  };
  fails("{ {1, 2}, {3, 4} }\n{5, 6.5}\n", "values.txt:2:5: error: '6.5' is not a whole number");
  fails("{ {1, 2}, {3} }\n", "values.txt:1:11: error: dimension 1 has 1 values, the shape says 2");
  fails("vales = { {1, 2}, {3, 4} }\n", "did you mean 'values'?");
  fails("{ {1, 2}, {3, 4} }\n", "parameter 1 (counts s32[2]) has no value");
  fails("{ {1, 2}, {3, 4} }\n{5, 6}\n7\n", "values.txt:3:1: error: a value too many");
  fails("counts@2 = {5, 6}\n", "there is no device 2");
}

TEST(HloEval, PointsAtAShapeThatDoesNotFollow) {
  const Folder folder;
  folder.write("a.hlo",
               "HloModule m\nENTRY main {\n  p = f32[8] parameter(0)\n  ROOT r = f32[4] slice(p), slice={[0:5]}\n}\n");
  const Outcome outcome = folder.run({"hlo", "eval", "a.hlo"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("a.hlo:4:19: error: r: has shape f32[4], its operands give f32[5]"), std::string::npos)
      << outcome.err;
}

TEST(HloEval, RefusesArraysThatItCannotHoldAndConstantsWithoutAValue) {
  const Folder folder;
  folder.write("large.hlo",
               "HloModule m\nENTRY main {\n  z = f32[] constant(0)\n  ROOT r = f32[65536,8192] broadcast(z), "
               "dimensions={}\n}\n");
  const Outcome large = folder.run({"hlo", "eval", "large.hlo"});
  EXPECT_EQ(large.code, 2);
  // 2^29 numbers of 8 bytes; at most 2^31 bytes are held.
  EXPECT_NE(large.err.find("large.hlo:4:28: error: main/r = broadcast: its values take 4.295 GB in addition to "
                           "0.000 GB of others; the limit of an evaluation is 2.147 GB"),
            std::string::npos)
      << large.err;
  // An array that just fits alone, in addition to one of 2^20 numbers.
  folder.write("beside.hlo",
               "HloModule m\nENTRY main {\n  a = f32[1048576] iota(), iota_dimension=0\n  z = f32[] constant(0)\n"
               "  b = f32[32768,8192] broadcast(z), dimensions={}\n  ROOT r = (f32[1048576], f32[32768,8192]) "
               "tuple(a, b)\n}\n");
  const Outcome beside = folder.run({"hlo", "eval", "beside.hlo"});
  EXPECT_EQ(beside.code, 2);
  EXPECT_NE(beside.err.find("beside.hlo:5:23: error: main/b = broadcast: its values take 2.147 GB in addition to "
                            "0.008 GB"),
            std::string::npos)
      << beside.err;
  folder.write("token.hlo", "HloModule m\nENTRY main {\n  ROOT t = token[] constant(6)\n}\n");
  const Outcome token = folder.run({"hlo", "eval", "token.hlo"});
  EXPECT_EQ(token.code, 2);
  EXPECT_NE(token.err.find("token.hlo:3:20: error: constant: a token has no value"), std::string::npos) << token.err;
}

TEST(Hlo, PartitionRefusesShapesThatDoNotFollow) {
  const Folder folder;
  folder.write("a.hlo",
               "HloModule m\nENTRY main {\n  p = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
               "  ROOT r = f32[4] slice(p), slice={[0:5]}\n}\n");
  const Outcome outcome = folder.run({"hlo", "partition", "a.hlo", "--mesh", "x=2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("m cannot be partitioned: r: has shape f32[4], its operands give f32[5]"),
            std::string::npos)
      << outcome.err;
}

TEST(Hlo, ChecksThatShapesFollowFromOperands) {
  const Folder folder;
  folder.write("sizes.hlo",
               "HloModule m\nENTRY main {\n  p = f32[8] parameter(0)\n  ROOT r = f32[4] slice(p), slice={[0:5]}\n}\n");
  folder.write("rule.hlo",
               "HloModule m\nENTRY main {\n  p = f32[8] parameter(0)\n  ROOT r = f32[4] slice(p), slice={[0:9]}\n}\n");
  const Outcome sizes = folder.run({"hlo", "check", "sizes.hlo"});
  EXPECT_EQ(sizes.code, 1);
  EXPECT_NE(sizes.err.find("sizes.hlo:4:19: error: r: has shape f32[4], its operands give f32[5]"), std::string::npos)
      << sizes.err;
  const Outcome rule = folder.run({"hlo", "check", "rule.hlo"});
  EXPECT_EQ(rule.code, 1);
  EXPECT_EQ(rule.out, "rule.hlo: 1 error\n");
  EXPECT_NE(rule.err.find("rule.hlo:4:19: error: r: "), std::string::npos) << rule.err;
}

TEST(HloEval, PrintsAllTilesOfTheResult) {
  const Folder folder;
  folder.write("a.hlo",
               "HloModule m\nENTRY main {\n  p = bf16[2,2]{1,0:T(8,128)(2,1)} parameter(0)\n"
               "  n = bf16[2,2]{1,0:T(8,128)(2,1)} negate(p)\n"
               "  ROOT t = (bf16[2,2]{1,0:T(8,128)(2,1)}, f32[1]{0:T(128)}) tuple(n, o)\n}\n");
  std::string text = folder.read("a.hlo");
  text.replace(text.find("  ROOT"), 0, "  o = f32[1]{0:T(128)} constant({1})\n");
  folder.write("a.hlo", text);
  folder.write("values.txt", "{ {1, 2}, {3, 4} }\n");
  EXPECT_EQ(folder.run({"hlo", "eval", "a.hlo", "--args", "values.txt"}).out,
            "(\n  bf16[2,2]{1,0:T(8,128)(2,1)} { {-1, -2}, {-3, -4} }\n  f32[1]{0:T(128)} {1}\n)\n");
}

}  // namespace
}  // namespace podsim::test
