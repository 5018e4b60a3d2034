// SPDX-License-Identifier: Apache-2.0
#include "report/run/mesh_report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace podsim::report::run {
namespace {

sw::runtime::CollectiveResult collective(const char* axes, const char* kind, std::int64_t bytes, std::int64_t count,
                                         std::int64_t time, std::int64_t exposed) {
  sw::runtime::CollectiveResult result;
  result.axes = axes;
  result.kind = kind;
  result.bytes = base::Bytes(bytes);
  result.count = count;
  result.time = base::Time(time);
  result.exposed = base::Time(exposed);
  return result;
}

TEST(MeshReport, CollectivesAddUpByAxesAndKindTheLongestAxesFirst) {
  sw::runtime::RunResult result;
  result.collectives = {collective("x", "all-reduce", 10, 2, 40, 40), collective("y", "all-gather", 5, 1, 90, 60),
                        collective("x", "all-reduce", 100, 1, 30, 10), collective("y", "all-reduce", 1, 1, 20, 70)};
  const std::vector<AxisCollectives> rows = collectives_by_axis(result);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].axes + " " + rows[0].kind, "y all-reduce");  // 70 of y's 130
  EXPECT_EQ(rows[0].overlapped(), base::Time(0));
  EXPECT_EQ(rows[1].axes + " " + rows[1].kind, "y all-gather");
  EXPECT_EQ(rows[1].overlapped(), base::Time(30));
  EXPECT_EQ(rows[2].count, 3);
  EXPECT_EQ(rows[2].bytes, base::Bytes(120));
  EXPECT_EQ(rows[2].time, base::Time(70));
  EXPECT_EQ(rows[2].exposed, base::Time(50));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(MeshReport, EveryCoreIsInThePicture) {
  const noc::Topology slice({3, 2}, {false, false});
  const sw::placement::MeshPlacement placement =
      sw::placement::MeshPlacement::natural(hlo::spmd::mesh::Mesh::parse("x=4,y=3"), slice, 2);
  const std::string svg = mesh_svg(placement);
  EXPECT_EQ(count(svg, "<title>"), 12U);
  EXPECT_EQ(count(svg, "<title>chip (2,1) core 1: 3.2</title>"), 1U);
  const std::string text = mesh_text(placement);
  EXPECT_NE(text.find("3.1 3.2"), std::string::npos) << text;
}

TEST(MeshReport, RowsOfASliceOfThreeDimensionsHaveTheirPlaceInTwo) {
  const noc::Topology slice({2, 3, 2}, {false, false, false});
  const sw::placement::MeshPlacement placement =
      sw::placement::MeshPlacement::natural(hlo::spmd::mesh::Mesh::parse("x=24"), slice, 2);
  const std::string text = mesh_text(placement), svg = mesh_svg(placement);
  for (const char* row : {"Y0 Z0", "Y2 Z0", "Y0 Z1", "Y2 Z1"}) EXPECT_EQ(count(text, row), 1U) << text;
  EXPECT_EQ(count(text, "Y3"), 0U) << "the slice has three rows along Y";
  for (const char* chip : {"chip (1,2,1) core 1", "chip (0,0,0) core 0"}) EXPECT_EQ(count(svg, chip), 1U) << svg;
  EXPECT_EQ(count(svg, "X to the right, Y and Z down"), 1U);
}

TEST(MeshReport, LongRowsAreCutShort) {
  const noc::Topology slice({32, 32}, {true, true});
  const std::string text =
      mesh_text(sw::placement::MeshPlacement::natural(hlo::spmd::mesh::Mesh::parse("x=2048"), slice, 2));
  EXPECT_NE(text.find("2046 2047"), std::string::npos) << text;
  EXPECT_LT(std::ranges::count(text, '\n'), 12);
}

}  // namespace
}  // namespace podsim::report::run
