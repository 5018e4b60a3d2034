// SPDX-License-Identifier: Apache-2.0
#include "sw/placement/mesh_placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/diagnostic.h"
#include "sw/placement/mesh_collectives.h"
#include "sw/placement/placement_search.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::placement {
namespace {

noc::Topology torus(std::int64_t x, std::int64_t y) { return {{x, y}, {true, true}}; }

MeshPlacement placed(const char* text, const noc::Topology& slice) {
  const MeshText mesh = parse_mesh(text);
  std::vector<AxisPlacement> axes;
  for (const auto& place : resolve_placements(mesh, slice, 2)) axes.push_back(place.value_or(AxisPlacement{}));
  return {mesh.mesh, axes, slice, 2};
}

/// The error for a mesh that does not fit, with the text that the caret marks.
std::string complaint(const char* text, const noc::Topology& slice) {
  try {
    resolve_placements(parse_mesh(text), slice, 2);
  } catch (const base::InputError& error) {
    const base::Diagnostic& diagnostic = error.diagnostics().front();
    const auto& at = diagnostic.location;
    return diagnostic.message + " [" + at.line_text.substr(std::size_t(at.column) - 1, std::size_t(at.length)) + "]";
  }
  return "";
}

TEST(MeshPlacement, AxesOnDimensionsOfTheSlice) {
  // Core 2 (4 y + x) + c: x runs along X, y along Y and then the cores of a chip.
  const MeshPlacement placement = placed("x=4@X,y=8@Y+core", torus(4, 4));
  for (std::int64_t x = 0; x < 4; ++x) {
    for (std::int64_t y = 0; y < 8; ++y) EXPECT_EQ(placement.core(8 * x + y), 2 * (4 * (y / 2) + x) + y % 2);
  }
  EXPECT_EQ(to_string(placement), "x=4@X,y=8@Y+core");
}

TEST(MeshPlacement, ABlockIsNeighboursAndTheRestOfTheDimensionHopsOverThem) {
  const MeshPlacement placement = placed("data=2@X,model=8@Y+X[2],pair=2@core", torus(4, 4));
  EXPECT_EQ(placement.core(0), 0);
  EXPECT_EQ(placement.core(1), 1);       // pair
  EXPECT_EQ(placement.core(2), 2 * 1);   // model: the neighbour along X
  EXPECT_EQ(placement.core(4), 2 * 4);   // then along Y
  EXPECT_EQ(placement.core(16), 2 * 2);  // data: two chips on
  EXPECT_EQ(to_string(placement), "data=2@X/2,model=8@Y+X[2],pair=2@core");
}

TEST(MeshPlacement, ThePlainOrderIsThatOfTheCores) {
  const MeshPlacement placement = MeshPlacement::natural(hlo::spmd::mesh::Mesh::parse("x=4,y=8"), torus(4, 4), 2);
  for (std::int64_t p = 0; p < 32; ++p) EXPECT_EQ(placement.core(p), p);
  EXPECT_EQ(to_string(placement), "x=4@Y,y=8@X+core");
  const MeshPlacement odd = MeshPlacement::natural(hlo::spmd::mesh::Mesh::parse("x=6,y=3"), torus(3, 3), 2);
  EXPECT_EQ(to_string(odd), "x=6,y=3 in the order of the cores");
}

TEST(MeshPlacement, WhatDoesNotFitIsSaidAtItsPlace) {
  const noc::Topology slice = torus(4, 4);
  EXPECT_EQ(complaint("x=4@X,y=8@X+core", slice), "'X' is taken [X]");
  EXPECT_EQ(complaint("x=4@X,y=8@W+core", slice), "a slice of 4x4 has no dimension 'w' [W]");
  EXPECT_EQ(complaint("x=4@X[3],y=8", slice), "blocks of 3 do not divide the 4 positions there [X[3]]");
  EXPECT_EQ(complaint("x=4@X+core,y=4", slice), "axis x has 4 positions, its place in a slice of 4x4 has 8 [X+core]");
  EXPECT_EQ(complaint("x=4@,y=8", slice), "'' is not a place [,]");
  EXPECT_EQ(complaint("x=4@X[,y=8", slice), "'X[' is not a place [X[]");
}

RC_GTEST_PROP(MeshPlacement, EveryCoreRunsOnePartition, ()) {
  // An axis for each factor of a 2^a x 2^b slice of two cores, in any order, or several of them joined.
  const int a = *rc::gen::inRange(0, 4), b = *rc::gen::inRange(0, 4);
  std::vector<SliceFactor> factors{{2, 2, 1}};
  for (int i = 0; i < a; ++i) factors.push_back({0, 2, std::int64_t(1) << i});
  for (int i = 0; i < b; ++i) factors.push_back({1, 2, std::int64_t(1) << i});
  for (std::size_t i = factors.size(); i > 1; --i)
    std::swap(factors[i - 1], factors[*rc::gen::inRange<std::size_t>(0, i)]);
  std::vector<AxisPlacement> places(1);
  for (const SliceFactor& factor : factors) {
    if (*rc::gen::arbitrary<bool>()) places.emplace_back();
    places.back().push_back(factor);
  }
  std::vector<hlo::spmd::mesh::MeshAxis> axes;
  for (const AxisPlacement& place : places)
    axes.push_back({"a" + std::to_string(axes.size()), std::int64_t(1) << place.size()});
  const MeshPlacement placement(hlo::spmd::mesh::Mesh(axes), places, torus(std::int64_t(1) << a, std::int64_t(1) << b),
                                2);
  std::vector<std::int32_t> cores = placement.cores(), expected(cores.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::sort(cores);
  RC_ASSERT(cores == expected);
  const std::vector<std::int64_t> partitions = placement.partitions();
  for (std::size_t core = 0; core < partitions.size(); ++core) {
    RC_ASSERT(placement.core(partitions[core]) == std::int32_t(core));
  }
}

/// A program with one collective along one axis.
compiler::Program program_along(const hlo::spmd::mesh::Mesh& mesh, int axis, collectives::CollectiveKind kind,
                                std::int64_t bytes) {
  compiler::CollectiveOp op{
      .kind = kind, .element_type = hlo::ElementType::bf16, .bytes = base::Bytes(bytes), .arrays = 1};
  const hlo::spmd::mesh::SubAxes along = mesh.sub_axes(axis);
  std::vector<std::int64_t> seen;
  for (std::int64_t p = 0; p < mesh.partitions(); ++p) {
    const std::int64_t step = mesh.stride(along.back());
    const std::int64_t group = p - mesh.position(p, along) * step;
    auto at = std::ranges::find(seen, group);
    if (at == seen.end()) {
      at = seen.insert(seen.end(), group);
      op.groups.emplace_back();
    }
    op.groups[std::size_t(at - seen.begin())].push_back(std::int32_t(p));
  }
  compiler::Program program;
  program.collectives.push_back(op);
  program.items.emplace_back().kind = compiler::ProgramItem::Kind::collective;
  return program;
}

TEST(MeshCollectives, GroupsAreNamedByTheAxesTheyJoin) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("x=4,y=8");
  compiler::Program program = program_along(mesh, 0, collectives::CollectiveKind::all_gather, 1024);
  EXPECT_EQ(axes_of(mesh, collectives::CollectiveKind::all_gather, program.collectives[0].groups), mesh.sub_axes(0));
  name_axes(program, mesh);
  EXPECT_EQ(program.collectives[0].axes, "x");
  EXPECT_EQ(axes_of(mesh, collectives::CollectiveKind::all_reduce, {}), mesh.all());
  EXPECT_EQ(axes_of(mesh, collectives::CollectiveKind::all_reduce, {{0, 1, 2}, {3, 4, 5}}), std::nullopt);
  EXPECT_EQ(axes_of(mesh, collectives::CollectiveKind::collective_permute, {{0, 8}, {8, 16}}), mesh.sub_axes(0));
}

TEST(MeshCollectives, PlacingMapsPartitionsToCores) {
  const noc::Topology slice = torus(4, 4);
  const MeshPlacement placement = placed("x=4@X,y=8@Y+core", slice);
  compiler::Program program = program_along(placement.mesh(), 0, collectives::CollectiveKind::all_gather, 1024);
  place(program, placement);
  EXPECT_EQ(program.collectives[0].groups[0], (std::vector<std::int32_t>{0, 2, 4, 6}));
}

TEST(MeshCollectives, LoopsMultiplyWhatIsCounted) {
  compiler::Program program;
  program.collectives.emplace_back();
  for (const auto kind : {compiler::ProgramItem::Kind::collective, compiler::ProgramItem::Kind::repeat,
                          compiler::ProgramItem::Kind::collective}) {
    program.items.emplace_back().kind = kind;
  }
  compiler::Loop& loop = program.loops.emplace_back();
  loop.end = 2;
  loop.trips = 5;
  const auto counted = counted_collectives(program);
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_EQ(counted[0].count, 6);
}

TEST(PlacementSearch, AnAxisOnARingIsFasterThanOneThatHops) {
  const noc::Topology slice = torus(8, 8);
  const sw::TargetMachine machine = collectives::tpu_v3();
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("x=8,y=16");
  const compiler::Program program = program_along(mesh, 0, collectives::CollectiveKind::all_reduce, 8 << 20);
  // Over a ring of neighbours, and over one core of every fourth chip of both dimensions.
  const auto ring = modelled_collective_time(machine, placed("x=8@X,y=16@Y+core", slice), program);
  const auto strided = modelled_collective_time(machine, placed("y=16@X[4]+Y[4],x=8@Y+X+core", slice), program);
  EXPECT_LT(ring.si(), strided.si());
}

TEST(PlacementSearch, AnAllReduceOverNeighboursAndTheCoresOfAChipIsChosen) {
  // All bytes go along the axis of 16: links are not shared if both cores of a chip are in one group.
  const noc::Topology slice = torus(8, 8);
  const sw::TargetMachine machine = collectives::tpu_v3();
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("model=16,data=8");
  const compiler::Program program = program_along(mesh, 0, collectives::CollectiveKind::all_reduce, 64 << 20);
  const PlacementChoice choice = choose_placement(machine, mesh, slice, {}, program);
  EXPECT_LT(choice.modelled.si(), choice.natural.si());
  const AxisPlacement& model = choice.placement.axes()[0];
  EXPECT_EQ(model.back().dimension, 2);
}

// A program in which partitions that have the bit `half` reduce in groups of eight, the others in pairs. Members of a
// group differ in the bits `eights` or `pairs`.
compiler::Program program_of_two_halves(std::int32_t half, std::int32_t eights, std::int32_t pairs) {
  compiler::CollectiveOp op{.kind = collectives::CollectiveKind::all_reduce,
                            .element_type = hlo::ElementType::bf16,
                            .bytes = base::Bytes(8 << 20),
                            .arrays = 1};
  for (std::int32_t first = 0; first < 32; ++first) {
    const std::int32_t over = (first & half) != 0 ? eights : pairs;
    if ((first & over) != 0) continue;
    auto& group = op.groups.emplace_back();
    for (std::int32_t p = 0; p < 32; ++p) {
      if ((p & ~over) == first) group.push_back(p);
    }
  }
  compiler::Program program;
  program.collectives.push_back(op);
  program.items.emplace_back().kind = compiler::ProgramItem::Kind::collective;
  return program;
}

// Five axes of two positions on 4x4 chips of two cores: each of 120 orders of the axes is a placement, and the oracle
// is the fastest. The groups differ in size; the slowest ends the collective.
TEST(PlacementSearch, TheSlowestOfDifferentGroupsDecides) {
  const noc::Topology slice({4, 4}, {false, false});
  const sw::TargetMachine machine = collectives::tpu_v3();
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("a=2,b=2,c=2,d=2,e=2");
  const std::vector<SliceFactor> factors{{0, 2, 1}, {0, 2, 2}, {1, 2, 1}, {1, 2, 2}, {2, 2, 1}};
  for (const auto [half, eights, pairs] : {std::array{2, 28, 1}, {8, 22, 1}, {4, 26, 1}, {16, 14, 1}, {8, 19, 4}}) {
    const compiler::Program program = program_of_two_halves(half, eights, pairs);
    const PlacementChoice choice = choose_placement(machine, mesh, slice, {}, program);
    double fastest = choice.natural.si();
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    do {
      std::vector<AxisPlacement> places;
      for (const std::size_t at : order) places.push_back({factors[at]});
      const MeshPlacement placement(mesh, places, slice, 2);
      fastest = std::min(fastest, modelled_collective_time(machine, placement, program).si());
    } while (std::ranges::next_permutation(order).found);
    // The eight that are simulated are chosen by formulas, which do not know how groups of different shapes share a
    // link. Placements that are good for the pairs alone are 1.49 times as slow as the fastest.
    EXPECT_LE(choice.modelled.si(), 1.2 * fastest) << half;
  }
}

TEST(PlacementSearch, TheOrderOfTheCoresStaysWhereNothingIsGained) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("x=8,y=16");
  const PlacementChoice choice = choose_placement(collectives::tpu_v3(), mesh, torus(8, 8), {}, compiler::Program{});
  EXPECT_EQ(choice.placement.core(5), 5);
  EXPECT_EQ(choice.modelled.si(), choice.natural.si());
}

TEST(PlacementSearch, AxesWithAPlaceStayThere) {
  const noc::Topology slice = torus(8, 8);
  const MeshText text = parse_mesh("x=8,y=16@X+core");
  const compiler::Program program = program_along(text.mesh, 1, collectives::CollectiveKind::all_gather, 8 << 20);
  const PlacementChoice choice =
      choose_placement(collectives::tpu_v3(), text.mesh, slice, resolve_placements(text, slice, 2), program);
  EXPECT_EQ(to_string(choice.placement), "x=8@Y,y=16@X+core");
  const MeshText blocked = parse_mesh("x=16,y=8@X[4]+core");
  const PlacementChoice rest =
      choose_placement(collectives::tpu_v3(), blocked.mesh, slice, resolve_placements(blocked, slice, 2), program);
  EXPECT_EQ(to_string(rest.placement), "x=16@Y+X/4,y=8@X[4]+core");
}

}  // namespace
}  // namespace podsim::sw::placement
