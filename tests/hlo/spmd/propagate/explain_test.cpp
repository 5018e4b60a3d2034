// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "tests/hlo/spmd/annotated_text.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using testing::Propagated;
using testing::propagated;

const std::string layer = R"(
    act = f32[16,64] parameter(0), metadata={op_name="layer0/act"}  w = f32[64,128] parameter(1)
    hidden = f32[16,128] dot(act, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    curve = f32[16,128] tanh(hidden), metadata={op_name="layer0/curve"}
    zero = f32[] constant(0)
    ROOT r = f32[16] reduce(curve, zero), dimensions={1}, to_apply=add_f32)";

TEST(Explain, TellsShardingShardAndTheWayToTheAnnotationOfEveryDimension) {
  const testing::Propagated p = testing::propagated(layer, "x=4,y=2", {{"act", {"x"}}, {"w", {"", "y"}}});
  EXPECT_EQ(p.why("curve"),
            "%curve f32[16,128]: [x, y], shards f32[4,64]  (layer0/curve)\n"
            "  dimension 0 over x: operand %hidden dimension 0, operand %act dimension 0, annotated\n"
            "  dimension 1 over y: operand %hidden dimension 1, operand %w dimension 1, annotated\n");
  EXPECT_EQ(p.why("act"),
            "%act f32[16,64]: [x, -], shards f32[4,64]  (layer0/act)\n"
            "  dimension 0 over x: annotated\n");
}

TEST(Explain, TellsUsersAndWhatStandsBeside) {
  const testing::Propagated p = testing::propagated(layer, "x=4,y=2", {{"r", {"x"}}, {"w", {"y"}}});
  EXPECT_EQ(p.why("hidden"),
            "%hidden f32[16,128]: [x, -], shards f32[4,128]\n"
            "  dimension 0 over x: user %curve dimension 0, user %r, annotated\n");
  EXPECT_EQ(p.why("act"),
            "%act f32[16,64]: [x, y], shards f32[4,32]  (layer0/act)\n"
            "  dimension 0 over x: user %hidden dimension 0, user %curve dimension 0, user %r, annotated\n"
            "  dimension 1 over y: in %hidden beside %w dimension 0, annotated\n");
}

TEST(Explain, TellsWhyNothingIsCut) {
  const testing::Propagated p = testing::propagated(layer, "x=4,y=2", {{"w", {}}});
  EXPECT_EQ(p.why("w"),
            "%w f32[64,128]: replicated, shards f32[64,128]\n"
            "  whole: annotated\n");
  EXPECT_EQ(p.why("act"),
            "%act f32[16,64]: replicated, shards f32[16,64]  (layer0/act)\n"
            "  whole: no annotation reaches it\n");
}

TEST(Explain, FollowsLoopsAndManualValues) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8] parameter(0)  m = f32[8] parameter(1)  s = (f32[8], f32[8]) tuple(a, m)
    last = (f32[8], f32[8]) while(s), condition=condition, body=body
    ROOT r = f32[8] get-tuple-element(last), index=0)",
                                                    "x=2", {{"body/cut", {"x"}}, {"m", {"manual"}}}, R"(
body { s = (f32[8], f32[8]) parameter(0)  v = f32[8] get-tuple-element(s), index=0  m = f32[8] get-tuple-element(s), index=1
  cut = f32[8] tanh(v)  ROOT t = (f32[8], f32[8]) tuple(cut, m) }
condition { s = (f32[8], f32[8]) parameter(0)  ROOT t = pred[] constant(true) }
)");
  EXPECT_EQ(p.why("last"),
            "%last{0} f32[8]: [x], shards f32[4]\n"
            "  dimension 0 over x: operand body/%cut, annotated\n"
            "%last{1} f32[8]: manual, shards f32[8]\n"
            "  manual: as %s{1}, operand %m, annotated\n");
  EXPECT_EQ(p.why("r"),
            "%r f32[8]: [x], shards f32[4]\n"
            "  dimension 0 over x: operand %last{0}, operand body/%cut, annotated\n");
}

TEST(Explain, FindsValuesByPatternsOfBothNames) {
  const testing::Propagated p = testing::propagated(layer, "x=4,y=2", {{"act", {"x"}}});
  EXPECT_EQ(p.why("layer0/*"), p.why("act") + p.why("curve"));
  try {
    p.why("hiden");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].message, "'hiden' matches no value of the program");
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'hidden'?");
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
