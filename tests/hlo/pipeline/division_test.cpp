// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/division.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::hlo::pipeline {
namespace {

constexpr std::int64_t rows = 8;

/// x w0 w1 ... with widths[i] features before w<i>; the loss is the sum of squares. Its activations are the products, a
/// product of elements and a sum, and only the last of them is between any two.
struct Chain {
  explicit Chain(const std::vector<std::int64_t>& widths) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      weights.push_back(b.parameter(make_shape(ElementType::f32, {widths[i], widths[i + 1]}), fmt::format("w{}", i)));
    }
    InstructionId x = b.parameter(make_shape(ElementType::f32, {rows, widths[0]}), "x");
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const build::GraphBuilder::Scope scope(b, fmt::format("layer{}/product", i));
      x = b.dot(x, weights[i], {{}, {}, {1}, {0}});
      costs.push_back(double(2 * rows * widths[i] * widths[i + 1]));
      bytes.push_back(double(4 * rows * widths[i + 1]));
    }
    const double elements = double(rows * widths.back());
    const InstructionId squares = b.multiply(x, x);
    loss = b.reduce_add(squares, {0, 1});
    costs.insert(costs.end(), {elements, elements - 1});
    bytes.insert(bytes.end(), {4 * elements, 4});
  }
  Network network() const { return {b, loss, weights, {}, {}}; }
  std::vector<double> costs_of_instructions() const {
    std::vector<double> all(std::size_t(b.size()), 0);
    const Origins origins = find_origins(network());
    for (std::size_t i = 0; i < costs.size(); ++i) all[std::size_t(origins.activations[i])] = costs[i];
    return all;
  }

  build::GraphBuilder b{"chain"};
  std::vector<InstructionId> weights;
  InstructionId loss = -1;
  std::vector<double> costs, bytes;  ///< FLOPs of each activation, and its bytes
};

/// Cost of the most expensive chunk, and bytes that are sent, if chunks begin at these activations.
struct Quality {
  double cost = 0, bytes = 0;
};
Quality quality(const Chain& chain, std::vector<std::size_t> begins) {
  Quality result;
  begins.push_back(chain.costs.size());
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    double cost = 0;
    for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) cost += chain.costs[at];
    result.cost = std::max(result.cost, cost);
    if (i > 0) result.bytes += chain.bytes[begins[i] - 1];
  }
  return result;
}

TEST(Division, SendsTheLeastOfAllThatAreAsBalanced) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<std::int64_t> widths;
    for (int i = 0; i < 9; ++i) widths.push_back(1 + std::int64_t(random() % 12));
    const Chain chain(widths);
    std::vector<Quality> all;  // of all divisions into three
    double least = 1e300;
    for (std::size_t second = 1; second < chain.costs.size(); ++second) {
      for (std::size_t third = second + 1; third < chain.costs.size(); ++third) {
        all.push_back(quality(chain, {0, second, third}));
        least = std::min(least, all.back().cost);
      }
    }
    double fewest = 1e300;
    for (const Quality& division : all) {
      if (division.cost <= 1.05 * least) fewest = std::min(fewest, division.bytes);
    }
    const Origins origins = find_origins(chain.network());
    const Division division = balanced_division(chain.network(), 3, chain.costs_of_instructions());
    std::vector<std::size_t> begins;
    for (const InstructionId begin : division.begins) {
      begins.push_back(std::size_t(std::ranges::find(origins.activations, begin) - origins.activations.begin()));
    }
    const Quality chosen = quality(chain, begins);
    EXPECT_LE(chosen.cost, 1.05 * least * (1 + 1e-9)) << trial;
    EXPECT_EQ(chosen.bytes, fewest) << trial;
  }
}

TEST(Division, BeginsAtNames) {
  const Chain chain({2, 3, 4, 5});
  const std::vector<std::string> names{"layer1", "layer2/product"};
  const Division division = division_at(chain.network(), names);
  ASSERT_EQ(division.chunks(), 3U);
  EXPECT_EQ(chain.b[division.begins[1]].op_name, "layer1/product");
  EXPECT_EQ(chain.b[division.begins[2]].op_name, "layer2/product");
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"layer9"}, {"layer"}, {"layer2", "layer1"}, {"layer0"}}) {
    EXPECT_THROW(division_at(chain.network(), wrong), base::InputError) << wrong.front();
  }
}

TEST(Division, ANetworkOfFewOperationsHasNotManyChunks) {
  const Chain chain({2, 3});
  EXPECT_EQ(balanced_division(chain.network(), 3, chain.costs_of_instructions()).chunks(), 3U);
  EXPECT_THROW(balanced_division(chain.network(), 4, chain.costs_of_instructions()), base::InputError);
}

TEST(Division, ChunksPassOnWhatTheyDoNotRead) {
  Chain chain({2, 2, 2, 2});
  const InstructionId first = find_origins(chain.network()).activations.front();
  chain.loss = chain.b.add(chain.loss, chain.b.reduce_add(first, {0, 1}));
  const Network network = chain.network();
  const std::vector<std::string> names{"layer1", "layer2"};
  const auto sent = sent_activations(network, find_origins(network), division_at(network, names));
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(sent[0].empty());
  EXPECT_EQ(sent[1], std::vector{first});
  EXPECT_EQ(sent[2].size(), 2U);  // the product of layer 1, and that of layer 0 for the loss
}

}  // namespace
}  // namespace podsim::hlo::pipeline
