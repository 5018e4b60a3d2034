// SPDX-License-Identifier: Apache-2.0
// `podsim hlo grad --check` as a user runs it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

/// The sum of what these lines make of x, as y; both are f64[3].
std::string sum_of(const std::string& lines) {
  return "HloModule loss\nadd { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }\nENTRY main "
         "{\n  x = f64[3] parameter(0)\n" +
         lines + "\n  zero = f64[] constant(0)\n  ROOT loss = f64[] reduce(y, zero), dimensions={0}, to_apply=add\n}\n";
}

TEST(HloGradCheck, ComparesEveryParameter) {
  const Folder folder;
  folder.write("loss.hlo", sum_of("  w = f32[3] parameter(1)\n  v = f64[3] convert(w)\n  s = f64[3] sine(v)\n  y = "
                                  "f64[3] multiply(x, s)"));
  const Outcome outcome = folder.run({"hlo", "grad", "loss.hlo", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nx "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nw "), std::string::npos) << outcome.out;
  EXPECT_EQ(folder.run({"hlo", "grad", "loss.hlo", "--check", "--seed", "0"}).out, outcome.out);
  EXPECT_NE(folder.run({"hlo", "grad", "loss.hlo", "--check", "--seed", "1"}).out, outcome.out);
  const Outcome one = folder.run({"hlo", "grad", "loss.hlo", "--check", "--parameters", "w"});
  EXPECT_EQ(one.out.find("\nx "), std::string::npos) << one.out;
}

// 2 x, made by counting up the exponent in the bits of x: bits have no slope, and the loss has.
TEST(HloGradCheck, NamesTheParameterWhoseGradientIsWrong) {
  const Folder folder;
  folder.write("bits.hlo",
               sum_of("  b = s64[3] bitcast-convert(x)\n  c = s64[] constant(4503599627370496)\n  d = s64[3] "
                      "broadcast(c), dimensions={}\n  e = s64[3] add(b, d)\n  y = f64[3] "
                      "bitcast-convert(e)"));
  const Outcome outcome = folder.run({"hlo", "grad", "bits.hlo", "--check"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("differs by more than"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("the gradient of x differs"), std::string::npos) << outcome.err;
}

TEST(HloGradCheck, ReportsACornerAndDoesNotFail) {
  const Folder folder;
  folder.write("corner.hlo", sum_of("  y = f64[3] abs(x)"));
  folder.write("zero.args", "{0, 0, 1}\n");
  const Outcome outcome = folder.run({"hlo", "grad", "corner.hlo", "--check", "--args", "zero.args"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("not smooth here"), std::string::npos) << outcome.out;
}

TEST(HloGradCheck, DrawsPositiveArgumentsWhereOthersHaveNoValue) {
  const Folder folder;
  folder.write("log.hlo", sum_of("  y = f64[3] log(x)"));
  const Outcome outcome = folder.run({"hlo", "grad", "log.hlo", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("at positive arguments"), std::string::npos) << outcome.out;
  folder.write("below.args", "{-1, 2, 3}\n");
  const Outcome below = folder.run({"hlo", "grad", "log.hlo", "--check", "--args", "below.args"});
  EXPECT_EQ(below.code, 2);
  EXPECT_NE(below.err.find("not finite"), std::string::npos) << below.err;
}

TEST(HloGradCheck, RefusesArgumentsThatTakeHours) {
  const Folder folder;
  folder.write("large.hlo",
               sum_of("  w = f32[4096,4097] parameter(1)\n  p = f32[3,1] slice(w), slice={[0:3], [0:1]}\n  "
                      "q = f32[3] reshape(p)\n  y = f64[3] convert(q)"));
  const Outcome outcome = folder.run({"hlo", "grad", "large.hlo", "--check"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("a check evaluates at most"), std::string::npos) << outcome.err;
}

TEST(HloGradCheck, RefusesFlagsWithoutEffect) {
  const Folder folder;
  folder.write("loss.hlo", sum_of("  y = f64[3] sine(x)"));
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"--check", "--train", "adam"}, {"--check", "--precision", "bf16"}, {"--seed", "1"}, {"--args", "x.npy"}}) {
    std::vector<std::string> words{"hlo", "grad", "loss.hlo", "--parameters", "0"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find("--check"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace podsim::test
