// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/gather.h"
#include "hlo/rules/gather_shape.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "hlo/eval/index_space.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::eval {
namespace {

using testing::graph_of_entry;
using testing::make_literal;
using testing::scalar_functions;
using Index = std::vector<std::int64_t>;

using testing::f32;
using testing::s32;

bool has(const std::vector<int>& list, int value) { return std::ranges::count(list, value) > 0; }

/// Random dimension numbers: some dimensions of the operand are collapsed, some are batching, and the rest are the
/// slice's. The index vector may be anywhere, or there may be none.
struct RandomGather {
  GatherDimensions roles;
  Index operand, indices, slice;

  static std::int64_t below(int limit) { return *rc::gen::inRange(0, limit); }

  static RandomGather make() {
    RandomGather g;
    const int rank = int(1 + below(3));
    for (int i = 0; i < rank; ++i) g.operand.push_back(1 + below(4));
    const int batches = int(below(3));
    for (int i = 0; i < batches; ++i) g.indices.push_back(1 + below(3));
    // Batching pairs, and the dimensions that the indices address.
    std::vector<int> free;
    for (int i = 0; i < rank; ++i) {
      if (int(g.roles.operand_batching.size()) < batches && below(4) == 0) {
        const int partner = int(g.roles.operand_batching.size());
        g.roles.operand_batching.push_back(i);
        g.roles.indices_batching.push_back(partner);
        g.indices[std::size_t(partner)] = g.operand[std::size_t(i)];
      } else {
        free.push_back(i);
      }
    }
    for (const int i : free) {
      if (below(3) != 0) g.roles.index_map.push_back(i);
    }
    if (below(2) == 0) std::ranges::reverse(g.roles.index_map);
    const std::int64_t length = std::int64_t(g.roles.index_map.size());
    if (length == 1 && below(2) == 0) {
      g.roles.index_vector = batches;  // numbers instead of vectors
    } else {
      g.roles.index_vector = int(below(batches + 1));
      g.indices.insert(g.indices.begin() + g.roles.index_vector, length);
      for (int& dimension : g.roles.indices_batching) dimension += dimension >= g.roles.index_vector ? 1 : 0;
    }
    std::int64_t windows = 0;
    for (int i = 0; i < rank; ++i) {
      const bool batching = has(g.roles.operand_batching, i);
      const bool collapsed = !batching && below(3) == 0;
      if (collapsed) g.roles.collapsed.push_back(i);
      g.slice.push_back(batching || collapsed ? 1 : 1 + below(int(g.operand[std::size_t(i)])));
      windows += batching || collapsed ? 0 : 1;
    }
    std::vector<int> places(std::size_t(windows + batches));
    std::iota(places.begin(), places.end(), 0);
    while (std::int64_t(places.size()) > windows) places.erase(places.begin() + below(int(places.size())));
    g.roles.offset = places;
    return g;
  }
};

/// StableHLO's definition: result[index] = operand[clamp(full start) + full batching + full offset].
Index operand_index(const RandomGather& g, const Literal& indices, const Index& result, bool clamp) {
  Index batch;
  for (int i = 0; i < int(result.size()); ++i) {
    if (!has(g.roles.offset, i)) batch.push_back(result[std::size_t(i)]);
  }
  const Index strides = row_major_strides(g.indices);
  const auto start_index = [&](std::int64_t k) {
    Index at = batch;
    if (g.roles.index_vector < int(g.indices.size())) at.insert(at.begin() + g.roles.index_vector, k);
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += at[i] * strides[i];
    return std::int64_t(indices.values[std::size_t(place)]);
  };
  Index place(g.operand.size(), 0);
  for (std::size_t k = 0; k < g.roles.index_map.size(); ++k) {
    const auto d = std::size_t(g.roles.index_map[k]);
    place[d] = start_index(std::int64_t(k));
    if (clamp) place[d] = std::clamp<std::int64_t>(place[d], 0, g.operand[d] - g.slice[d]);
  }
  for (std::size_t k = 0; k < g.roles.operand_batching.size(); ++k) {
    const int from = g.roles.indices_batching[k];
    place[std::size_t(g.roles.operand_batching[k])] = batch[std::size_t(from > g.roles.index_vector ? from - 1 : from)];
  }
  std::size_t window = 0;
  for (int i = 0; i < int(g.operand.size()); ++i) {
    if (has(g.roles.collapsed, i) || has(g.roles.operand_batching, i)) continue;
    place[std::size_t(i)] += result[std::size_t(g.roles.offset[window++])];
  }
  return place;
}

Literal random_indices(const RandomGather& g) {
  Literal indices = make_zeros(make_shape(s32, g.indices));
  for (double& value : indices.values) value = double(*rc::gen::inRange(-2, 6));
  return indices;
}

TEST(Gather, EqualsItsDefinitionForAnyDimensionNumbers) {
  EXPECT_TRUE(rc::check([] {
    const RandomGather g = RandomGather::make();
    Instruction instruction;
    instruction.opcode = Opcode::gather;
    instruction.gather = g.roles;
    instruction.slice_sizes = g.slice;
    const Literal operand = testing::distinct_literal(make_shape(f32, g.operand), 1);
    const Literal indices = random_indices(g);
    const Shape* shapes[] = {&operand.shape, &indices.shape};
    instruction.shape = rules::infer_gather(instruction, shapes);
    const Literal result = evaluate_gather(instruction, operand, indices);
    const Index strides = row_major_strides(g.operand);
    std::size_t i = 0;
    for_each_index(instruction.shape.dimensions, [&](const Index& at) {
      const Index place = operand_index(g, indices, at, true);
      std::int64_t from = 0;
      for (std::size_t d = 0; d < place.size(); ++d) from += place[d] * strides[d];
      RC_ASSERT(result.values[i++] == operand.values[std::size_t(from)]);
    });
  }));
}

TEST(Scatter, AddsEveryUpdateWhereItsDefinitionSaysAndSkipsWindowsOutside) {
  const Module module = testing::graph_of_entry("ROOT z = f32[] constant(0)", testing::scalar_functions);
  EXPECT_TRUE(rc::check([&] {
    const RandomGather g = RandomGather::make();
    Instruction gather;
    gather.gather = g.roles;
    gather.slice_sizes = g.slice;
    const Literal operand = testing::distinct_literal(make_shape(f32, g.operand), 1);
    const Literal indices = random_indices(g);
    const Shape* shapes[] = {&operand.shape, &indices.shape};
    const Shape updates_shape = rules::infer_gather(gather, shapes);
    Literal updates = make_zeros(updates_shape);
    for (std::size_t i = 0; i < updates.values.size(); ++i) updates.values[i] = double(1 + i);
    Instruction scatter;
    scatter.opcode = Opcode::scatter;
    scatter.gather = g.roles;
    scatter.shape = operand.shape;
    scatter.called = {0};  // add_f32
    const Shape* scatter_shapes[] = {&operand.shape, &indices.shape, &updates.shape};
    RC_ASSERT(rules::infer_scatter(scatter, scatter_shapes, module.computations).compatible(operand.shape));

    std::vector<double> expected = operand.values;
    const Index strides = row_major_strides(g.operand);
    std::size_t i = 0;
    for_each_index(updates_shape.dimensions, [&](const Index& at) {
      const double update = updates.values[i++];
      // The corners of the window: at its first and at its last element.
      Index first = at, last = at;
      std::size_t window = 0;
      for (int d = 0; d < int(g.operand.size()); ++d) {
        if (has(g.roles.collapsed, d) || has(g.roles.operand_batching, d)) continue;
        first[std::size_t(g.roles.offset[window])] = 0;
        last[std::size_t(g.roles.offset[window])] = updates_shape.dimensions[std::size_t(g.roles.offset[window])] - 1;
        ++window;
      }
      const Index low = operand_index(g, indices, first, false), high = operand_index(g, indices, last, false);
      for (std::size_t d = 0; d < low.size(); ++d) {
        if (low[d] < 0 || high[d] >= g.operand[d]) return;
      }
      const Index place = operand_index(g, indices, at, false);
      std::int64_t to = 0;
      for (std::size_t d = 0; d < place.size(); ++d) to += place[d] * strides[d];
      expected[std::size_t(to)] = double(float(expected[std::size_t(to)] + update));
    });
    const Literal* operands[] = {&operand, &indices, &updates};
    const Literal result = evaluate_scatter(scatter, operands, ScalarFunction(module, module.computations[0]));
    RC_ASSERT(result.values == expected);
  }));
}

TEST(Scatter, SeveralOperandsAndALaterUpdateInPlaceOfAnEarlier) {
  const Module module = testing::graph_of_entry(R"(
    a = f32[3] constant({1, 2, 3})
    b = s32[3] constant({10, 20, 30})
    i = s32[2,1] constant({ {2}, {2} })
    u = f32[2] constant({7, 8})
    v = s32[2] constant({5, 6})
    ROOT r = (f32[3], s32[3]) scatter(a, b, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=both)",
                                                R"(
both {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  e = s32[] add(b, d)
  ROOT t = (f32[], s32[]) tuple(c, e)
}
)");
  const Literal result = evaluate(module, {});
  EXPECT_EQ(result.elements[0].values, (std::vector<double>{1, 2, 8}));
  EXPECT_EQ(result.elements[1].values, (std::vector<double>{10, 20, 41}));
}

}  // namespace
}  // namespace podsim::hlo::eval
