// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/metis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace podsim::sw::operators {
namespace {

void join(WeightedGraph& graph, int a, int b, double weight) {
  graph.edges[std::size_t(a)].emplace_back(b, weight);
  graph.edges[std::size_t(b)].emplace_back(a, weight);
}

WeightedGraph graph_of(std::size_t vertices) {
  return {std::vector<double>(vertices, 1), std::vector<std::vector<std::pair<int, double>>>(vertices)};
}

// In closed form: the one edge between the cliques is the least that halves can have between them.
TEST(Metis, DividesTwoCliquesAtTheEdgeBetweenThem) {
  WeightedGraph graph = graph_of(16);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < a; ++b) {
      join(graph, a, b, 1);
      join(graph, a + 8, b + 8, 1);
    }
  }
  join(graph, 3, 11, 1);
  const std::vector<int> part = metis_parts(graph, 2, 0.03);
  EXPECT_EQ(weight_between(graph, part), 1);
  EXPECT_EQ(std::ranges::count(part, 0), 8);
  EXPECT_EQ(part, metis_parts(graph, 2, 0.03));
}

// The oracle is every division of ten vertices into halves.
TEST(Metis, IsNoBetterThanTheBestDivisionAndEqualsItMostly) {
  int equal = 0;
  constexpr int vertices = 10, cases = 20;
  for (unsigned seed = 0; seed < cases; ++seed) {
    std::mt19937 random(seed);
    WeightedGraph graph = graph_of(vertices);
    for (int a = 0; a < vertices; ++a) {
      for (int b = 0; b < a; ++b) {
        if (random() % 3 == 0) join(graph, a, b, double(1 + random() % 9));
      }
    }
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < 1U << vertices; ++set) {
      std::vector<int> part;
      for (int vertex = 0; vertex < vertices; ++vertex) part.push_back(int(set >> vertex & 1));
      if (std::ranges::count(part, 1) == vertices / 2) least = std::min(least, weight_between(graph, part));
    }
    const std::vector<int> part = metis_parts(graph, 2, 0.03);
    ASSERT_EQ(std::ranges::count(part, 1), vertices / 2);
    EXPECT_GE(weight_between(graph, part), least);
    equal += weight_between(graph, part) == least ? 1 : 0;
  }
  EXPECT_GE(equal, cases / 2);
}

TEST(Metis, OnePartHasAll) { EXPECT_EQ(metis_parts(graph_of(5), 1, 0.03), std::vector<int>(5, 0)); }

}  // namespace
}  // namespace podsim::sw::operators
