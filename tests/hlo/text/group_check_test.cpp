// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"

namespace podsim::hlo::text {
namespace {

/// The first diagnostic of a module of 4 partitions whose entry has p = f32[8] and this root: "COLUMN MESSAGE".
std::string first_fault(const std::string& root) {
  const ReadResult read = text::read("t",
                                     "HloModule m, num_partitions=4\n"
                                     "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }\n"
                                     "ENTRY e {\n  p = f32[8] parameter(0)\n  ROOT r = " +
                                         root + "\n}\n");
  if (!read.ok()) return "not read: " + read.diagnostics.front().message;
  for (const base::Diagnostic& found : check_shapes(read.modules[0], graph::to_graph(read.modules[0]))) {
    EXPECT_EQ(found.severity, base::Diagnostic::Severity::error);
    EXPECT_EQ(found.location.line, 5);
    return std::to_string(found.location.column) + " " + found.message;
  }
  return "none";
}

const std::string with_global_ids = ", channel_id=1, use_global_device_ids=true, to_apply=add";

// "  ROOT r = f32[8] " has 18 characters.
TEST(GroupCheck, PointsAtGroupsOfDevicesThatAreThereTwiceOrNotAtAll) {
  EXPECT_EQ(first_fault("f32[8] all-reduce(p), replica_groups={{0,1},{2,3}}" + with_global_ids), "none");
  EXPECT_EQ(first_fault("f32[8] all-reduce(p), replica_groups={{0,1},{1,2}}" + with_global_ids),
            "19 r: names device 1 twice");
  // With a channel alone, a group has all four partitions of its replicas.
  EXPECT_EQ(first_fault("f32[8] all-gather(p), replica_groups={{0,1}}, dimensions={0}, channel_id=1"),
            "19 r: has 8 along dimension 0 of the whole and 8 of a part, its groups have 8 devices");
}

TEST(GroupCheck, PointsAtShapesThatAreNotThoseOfTheGroups) {
  const std::string groups = ", replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true";
  EXPECT_EQ(first_fault("f32[16] all-gather(p), dimensions={0}" + groups), "none");
  EXPECT_EQ(first_fault("f32[32] all-gather(p), dimensions={0}" + groups),
            "20 r: has 32 along dimension 0 of the whole and 8 of a part, its groups have 2 devices");
  EXPECT_EQ(first_fault("f32[4] reduce-scatter(p), dimensions={0}, to_apply=add" + groups), "none");
  EXPECT_EQ(first_fault("f32[2] reduce-scatter(p), dimensions={0}, to_apply=add" + groups),
            "19 r: has 8 along dimension 0 of the whole and 2 of a part, its groups have 2 devices");
  EXPECT_EQ(first_fault("(f32[8], f32[8]) all-to-all(p, p)" + groups), "none");
  EXPECT_EQ(first_fault("(f32[8], f32[8], f32[8]) all-to-all(p, p, p)" + groups),
            "37 r: has 3 operands, for the devices of a group of 2");
  EXPECT_EQ(first_fault("f32[4] all-gather(p), dimensions={0}, replica_groups={{0,1},{2}}, channel_id=1").substr(0, 3),
            "19 ");
}

TEST(GroupCheck, PointsAtShardsThatAreNotPartsOfTheirArrays) {
  const std::string to_shard = ", custom_call_target=\"SPMDFullToShardShape\", sharding={manual}";
  EXPECT_EQ(first_fault("f32[8] custom-call(p)" + to_shard), "none");
  EXPECT_EQ(first_fault("f32[2,4] custom-call(p)" + to_shard),
            "21 r: f32[8] and f32[2,4] differ in their number of dimensions");
  EXPECT_EQ(first_fault("s32[8] custom-call(p)" + to_shard), "19 r: keeps the element type");
}

}  // namespace
}  // namespace podsim::hlo::text
