// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/shape_check.h"

#include <gtest/gtest.h>

#include "hlo/rules/shape_inference.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::text {
namespace {

using Severity = base::Diagnostic::Severity;

/// Diagnostics for an entry with two parameters, p = f32[8] and q = f32[4,6], and these lines.
std::vector<base::Diagnostic> found_in(const std::string& lines) {
  const ReadResult read =
      text::read("test",
                 "HloModule m\nadd { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n"
                 "ENTRY main {\n  p = f32[8] parameter(0)\n  q = f32[4,6] parameter(1)\n" +
                     lines + "\n}\n");
  if (!read.ok()) throw std::logic_error(read.diagnostics.front().message);
  return check_shapes(read.modules[0], graph::to_graph(read.modules[0]));
}

TEST(ShapeCheck, PointsAtTheInstructionWhoseShapeDoesNotFollow) {
  const auto found = found_in("  ROOT r = f32[4] slice(p), slice={[0:5]}");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].location.line, 6);
  EXPECT_EQ(found[0].location.column, 19);
  EXPECT_EQ(found[0].message, "r: has shape f32[4], its operands give f32[5]");
}

// The header does not say how many devices there are, the group names four.
TEST(ShapeCheck, TilesAreOnAsManyDevicesAsGroupsName) {
  const auto with_tiles = [](const std::string& tiles) {
    return found_in("  s = f32[8] negate(p), sharding={devices=" + tiles +
                    "}\n  ROOT r = f32[8] all-reduce(s), channel_id=1, replica_groups={{0,1,2,3}}, "
                    "use_global_device_ids=true, to_apply=add");
  };
  EXPECT_TRUE(with_tiles("[4]<=[4]").empty());
  for (const char* tiles : {"[2]<=[2]", "[1]<=[1]"}) {
    const auto found = with_tiles(tiles);
    ASSERT_EQ(found.size(), 1U) << tiles;
    EXPECT_EQ(found[0].severity, Severity::error);
    EXPECT_EQ(found[0].location.line, 6);
  }
}

TEST(ShapeCheck, FindsNothingWhereEveryShapeFollows) {
  EXPECT_TRUE(found_in("  ROOT r = f32[5] slice(p), slice={[0:5]}").empty());
}

// In all of these, the dimensions that attributes name exist.
TEST(ShapeCheck, AShapeOfOtherSizesOrElementTypesIsAWarning) {
  for (const char* line : {
           "  ROOT r = f32[4] slice(p), slice={[0:5]}",
           "  ROOT r = s32[8] add(p, p)",
           "  ROOT r = f32[4,4] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  s = f32[6,4] dot(q, "
           "q), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
           "  ROOT r = (f32[7], f32[4,6]) tuple(p, q)",
       }) {
    const auto found = found_in(line);
    ASSERT_EQ(found.size(), 1U) << line;
    EXPECT_EQ(found[0].severity, Severity::warning) << base::format(found[0]);
  }
}

TEST(ShapeCheck, AShapeOfAnotherStructureIsAnError) {
  for (const char* line : {
           "  ROOT r = f32[8] slice(q), slice={[0:4],[0:2]}",
           "  ROOT r = f32[8,1] reverse(p), dimensions={0}",
           "  ROOT r = f32[] tuple(p, q)",
           "  ROOT r = ((f32[8]), f32[4,6]) tuple(p, q)",
           "  ROOT r = f32[] after-all()",
       }) {
    const auto found = found_in(line);
    ASSERT_FALSE(found.empty()) << line;
    for (const base::Diagnostic& diagnostic : found) EXPECT_EQ(diagnostic.severity, Severity::error) << line;
  }
}

TEST(ShapeCheck, ABrokenRuleIsAnError) {
  for (const char* line : {
           // A window of one dimension over operands of two spatial ones.
           "  c = f32[1,4,6,1] reshape(q)\n"
           "  ROOT r = f32[1,4,6,1] convolution(c, c), window={size=3 pad=1_1}, dim_labels=b01f_01io->b01f",
           "  ROOT r = f32[12] concatenate(p, q), dimensions={0}",
           "  ROOT r = f32[9] slice(p), slice={[0:9]}",
           "  ROOT r = f32[6] transpose(q), dimensions={1}",
           "  ROOT r = f32[4,4] dot(q, q), lhs_contracting_dims={2}, rhs_contracting_dims={1}",
           "  ROOT r = f32[9] reshape(p)",
           "  i = s32[2] parameter(2)\n"
           "  ROOT r = f32[1,1] gather(q, i), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0,1}, "
           "index_vector_dim=0, slice_sizes={1}",
           "  ROOT r = f32[8] call(p), to_apply=add",
           "  ROOT r = f32[8] collective-permute(p), source_target_pairs={{0,1},{1,2},{3,1}}",
           "  ROOT r = f32[8] collective-permute(p), source_target_pairs={{0,1},{1,2},{0,3}}",
       }) {
    const auto found = found_in(line);
    ASSERT_FALSE(found.empty()) << line;
    EXPECT_EQ(found[0].severity, Severity::error) << base::format(found[0]);
  }
}

TEST(ShapeCheck, EndsAfterFiftyFindings) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "  r" + std::to_string(i) + " = f32[4] slice(p), slice={[0:5]}\n";
  EXPECT_EQ(found_in(lines + "  ROOT t = f32[8] negate(p)").size(), 50U);
}

}  // namespace
}  // namespace podsim::hlo::text
