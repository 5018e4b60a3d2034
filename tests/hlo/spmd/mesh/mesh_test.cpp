// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/mesh.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::hlo::spmd::mesh {
namespace {

TEST(Mesh, SplitsEveryAxisIntoPrimeFactorsFromTheSlowest) {
  const Mesh mesh({{"x", 12}, {"one", 1}, {"y", 5}});
  EXPECT_EQ(mesh.partitions(), 60);
  ASSERT_EQ(mesh.sub_axis_count(), 4);
  const std::vector<std::int64_t> sizes{2, 2, 3, 5}, strides{30, 15, 5, 1};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(mesh.size(SubAxis(i)), sizes[std::size_t(i)]);
    EXPECT_EQ(mesh.stride(SubAxis(i)), strides[std::size_t(i)]);
    EXPECT_EQ(mesh.axis_of(SubAxis(i)), i < 3 ? 0 : 2);
  }
  EXPECT_EQ(mesh.sub_axes(0), (SubAxes{0, 1, 2}));
  EXPECT_TRUE(mesh.sub_axes(1).empty());
  EXPECT_EQ(mesh.size(SubAxes{1, 3}), 10);
}

TEST(Mesh, NumbersPartitionsRowMajor) {
  const Mesh mesh({{"x", 3}, {"y", 4}, {"z", 2}});
  std::int64_t partition = 0;
  for (std::int64_t x = 0; x < 3; ++x) {
    for (std::int64_t y = 0; y < 4; ++y) {
      for (std::int64_t z = 0; z < 2; ++z, ++partition) {
        EXPECT_EQ(mesh.position(partition, mesh.sub_axes(0)), x);
        EXPECT_EQ(mesh.position(partition, mesh.sub_axes(1)), y);
        EXPECT_EQ(mesh.position(partition, mesh.sub_axes(2)), z);
        EXPECT_EQ(mesh.position(partition, mesh.all()), partition);
        EXPECT_EQ(mesh.position(partition, {3, 0}), 3 * z + x);
        EXPECT_EQ(mesh.position(partition, {2, 1}), 2 * (y % 2) + y / 2);
      }
    }
  }
}

TEST(Mesh, ReadsAndPrintsItsText) {
  EXPECT_EQ(Mesh::parse("x=32,y=64"), Mesh({{"x", 32}, {"y", 64}}));
  EXPECT_EQ(Mesh::parse("32x64"), Mesh({{"x", 32}, {"y", 64}}));
  EXPECT_EQ(Mesh::parse("8"), Mesh({{"x", 8}}));
  EXPECT_EQ(Mesh::parse("data=4, model_1=2"), Mesh({{"data", 4}, {"model_1", 2}}));
  EXPECT_EQ(to_string(Mesh::parse("2x3x1x4")), "x=2,y=3,z=1,w=4");
}

TEST(Mesh, NamesAxesAndPartsOfThem) {
  const Mesh mesh({{"x", 8}, {"y", 2}});
  EXPECT_EQ(mesh.to_string(SubAxes{}), "");
  EXPECT_EQ(mesh.to_string({0, 1, 2}), "x");
  EXPECT_EQ(mesh.to_string({3, 0, 1, 2}), "y,x");
  EXPECT_EQ(mesh.to_string({1, 2, 3}), "x[1:3],y");
  EXPECT_EQ(mesh.to_string({2, 0}, "+"), "x[2:3]+x[0:1]");
}

base::Diagnostic parse_error(const char* text) {
  try {
    Mesh::parse(text);
  } catch (const base::InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << text << " is taken";
  return {};
}

TEST(Mesh, PointsAtWhatIsWrongInAText) {
  struct Case {
    const char* text;
    int column, length;
    const char* message;
  };
  for (const Case& wrong :
       {Case{"x=4,y=0", 5, 3, "the mesh axis 'y' has a size of at least 1, not 0"},
        Case{"x=4,y=two", 7, 3, "'two' is no size of a mesh axis"},
        Case{"x=4,x=2", 5, 3, "two mesh axes have the name 'x'"}, Case{"x=4,2", 5, 1, "'2' has no size"},
        Case{"4y2", 1, 3, "'4y2' is no size of a mesh axis"},
        Case{"x=2048,y=1024", 8, 6, "a mesh has at most 2^20 partitions"},
        Case{"x=99999999999999999999", 3, 20, "a mesh has at most 2^20 partitions"},
        Case{"3d=4", 1, 4, "'3d' is no name of a mesh axis"},
        Case{"2x2x2x2x2x2x2", 13, 1, "more than 6 axes need names"}, Case{"x", 1, 1, "'x' has no size"},
        Case{"", 1, 1, "an empty mesh"}}) {
    const base::Diagnostic error = parse_error(wrong.text);
    EXPECT_EQ(error.message, wrong.message) << wrong.text;
    EXPECT_EQ(error.location.column, wrong.column) << wrong.text;
    EXPECT_EQ(error.location.length, wrong.length) << wrong.text;
    EXPECT_FALSE(error.hint.empty()) << wrong.text;
  }
  EXPECT_THROW(Mesh({{"", 4}}), base::InputError);
  EXPECT_THROW(Mesh({{"x", 1 << 20}, {"y", 1 << 20}}), base::InputError);
}

TEST(Mesh, RefinesGridsThatShareTheirBorders) {
  using Shapes = std::vector<std::vector<std::int64_t>>;
  const auto refining = [](std::int64_t partitions, const Shapes& shapes) {
    return to_string(Mesh::refining(partitions, shapes));
  };
  EXPECT_EQ(refining(8, {}), "a0=8");
  EXPECT_EQ(refining(8, {{8}, {4, 2}, {2, 4}}), "a0=2,a1=2,a2=2");
  EXPECT_EQ(refining(48, {{4, 12}, {1, 16, 3}}), "a0=4,a1=4,a2=3");
  EXPECT_EQ(refining(1, {{1}}), "");
  EXPECT_THROW(refining(6, Shapes({{2, 3}, {3, 2}})), base::InputError);
  EXPECT_THROW(refining(8, Shapes({{2, 2}})), base::InputError);
}

}  // namespace
}  // namespace podsim::hlo::spmd::mesh
