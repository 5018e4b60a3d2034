// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/mixture_of_experts.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/gradient.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::layers {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;
using Numbers = std::vector<double>;

constexpr std::int64_t model = 4, hidden = 3, experts = 3, batch = 2, length = 6;

struct Reference {
  Numbers y;
  double auxiliary = 0;
  int dropped = 0;  ///< choices beyond an expert's capacity
};

/// GShard's algorithm token by token; x, w_gating [M, E], w_in [E, M, H], w_out [E, H, M], relu.
Reference reference(const std::vector<Numbers>& in, const MixtureOptions& options) {
  const Numbers &x = in[0], &w_gating = in[1], &w_in = in[2], &w_out = in[3];
  const std::int64_t group = options.group > 0 ? options.group : length, tokens = batch * length;
  Reference result;
  result.y.resize(x.size());
  for (std::int64_t begin = 0; begin < tokens; begin += group) {
    std::vector<Numbers> gates;
    std::vector<std::array<std::int64_t, 2>> chosen;
    Numbers gate_sums(experts), firsts(experts);
    for (std::int64_t t = begin; t < begin + group; ++t) {
      Numbers gate(experts);
      for (std::int64_t e = 0; e < experts; ++e) {
        for (std::int64_t m = 0; m < model; ++m) gate[e] += x[t * model + m] * w_gating[m * experts + e];
        gate[e] = std::exp(gate[e]);
      }
      const double all = std::accumulate(gate.begin(), gate.end(), 0.0);
      for (double& value : gate) value /= all;
      std::vector<std::int64_t> order(experts);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) { return gate[a] > gate[b]; });
      chosen.push_back({order[0], order[1]});
      firsts[order[0]] += 1;
      for (std::int64_t e = 0; e < experts; ++e) gate_sums[e] += gate[e];
      gates.push_back(gate);
    }
    const double groups = double(tokens) / double(group);
    for (std::int64_t e = 0; e < experts; ++e) {
      result.auxiliary += firsts[e] / double(group) * gate_sums[e] / double(group) * double(experts) / groups;
    }
    std::vector<std::int64_t> filled(experts);
    for (int choice = 0; choice < 2; ++choice) {
      for (std::int64_t i = 0; i < group; ++i) {
        const std::int64_t e = chosen[i][choice], t = begin + i;
        if (filled[e]++ >= expert_capacity(options, group)) {
          ++result.dropped;
          continue;
        }
        const double weight = gates[i][e] / (gates[i][chosen[i][0]] + gates[i][chosen[i][1]] + 1e-9);
        for (std::int64_t h = 0; h < hidden; ++h) {
          double value = 0;
          for (std::int64_t m = 0; m < model; ++m) value += x[t * model + m] * w_in[(e * model + m) * hidden + h];
          value = std::max(value, 0.0);
          for (std::int64_t m = 0; m < model; ++m) {
            result.y[t * model + m] += weight * value * w_out[(e * hidden + h) * model + m];
          }
        }
      }
    }
  }
  return result;
}

/// sum(weights * y) + 0.5 auxiliary, the value whose gradients are computed.
double scalar(const Reference& reference, const Numbers& weights) {
  return std::inner_product(reference.y.begin(), reference.y.end(), weights.begin(), 0.5 * reference.auxiliary);
}

struct Built {
  hlo::Module module;  ///< y, auxiliary, gradients of x, w_gating, w_in, w_out
  std::vector<hlo::Literal> arguments;
  hlo::Literal weights;
};

Built built(const MixtureOptions& options) {
  hlo::build::GraphBuilder b("test");
  Built result;
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f64, {batch, length, model}), "x");
  TrainedTensors tensors(b, testing::double_precision());
  const MixtureResult mixture = mixture_of_experts(tensors, x, {hidden, Activation::relu, false}, options);
  result.weights = hlo::testing::random_literal(b.shape(x), 99);
  const InstructionId weighted = b.multiply(mixture.value, b.constant(result.weights));
  const InstructionId half = b.multiply(mixture.auxiliary, b.full_like(mixture.auxiliary, 0.5));
  const InstructionId loss = b.add(b.reduce_add(weighted, {0, 1, 2}), half);
  std::vector<InstructionId> of{x};
  for (const TrainedTensor& tensor : tensors.all()) of.push_back(tensor.value);
  std::vector<InstructionId> results = hlo::transform::gradients(b, loss, of, std::vector{mixture.held});
  results.insert(results.begin(), {mixture.value, mixture.auxiliary});
  result.module = std::move(b).build(b.tuple(results));
  hlo::build::verify(result.module);
  unsigned seed = 1;
  const hlo::Computation& entry = result.module.entry_computation();
  for (InstructionId id : entry.parameters) {
    result.arguments.push_back(hlo::testing::random_literal(entry[id].shape, seed++, -1.5, 1.5));
  }
  return result;
}

class Mixture : public ::testing::TestWithParam<std::pair<std::int64_t, double>> {
 protected:
  MixtureOptions options() const {
    MixtureOptions options;
    options.experts = experts;
    options.group = GetParam().first;
    options.capacity_factor = GetParam().second;
    return options;
  }
};

TEST_P(Mixture, SendsEveryTokenWhereTheAlgorithmDoes) {
  const Built it = built(options());
  std::vector<Numbers> in;
  for (const hlo::Literal& argument : it.arguments) in.push_back(argument.values);
  const Reference expected = reference(in, options());
  const hlo::Literal result = hlo::eval::evaluate(it.module, it.arguments);
  for (std::size_t i = 0; i < expected.y.size(); ++i) {
    ASSERT_NEAR(result.elements[0].values[i], expected.y[i], 1e-12) << i;
  }
  EXPECT_NEAR(result.elements[1].values[0], expected.auxiliary, 1e-12);
  EXPECT_EQ(expected.dropped > 0, options().capacity_factor < 2);
}

TEST_P(Mixture, HasTheSlopesOfTheAlgorithm) {
  const Built it = built(options());
  std::vector<Numbers> in;
  for (const hlo::Literal& argument : it.arguments) in.push_back(argument.values);
  const hlo::Literal result = hlo::eval::evaluate(it.module, it.arguments);
  const double h = 1e-6;
  for (std::size_t k = 0; k < in.size(); ++k) {
    for (std::size_t i = 0; i < in[k].size(); ++i) {
      const double value = in[k][i];
      in[k][i] = value + h;
      const double above = scalar(reference(in, options()), it.weights.values);
      in[k][i] = value - h;
      const double below = scalar(reference(in, options()), it.weights.values);
      in[k][i] = value;
      const double slope = (above - below) / (2 * h);
      ASSERT_NEAR(result.elements[2 + k].values[i], slope, 1e-7 + 1e-5 * std::abs(slope)) << k << "[" << i << "]";
    }
  }
}

// Groups of one sequence, of less and of more, with capacity for all tokens and for few.
INSTANTIATE_TEST_SUITE_P(MixtureOfExperts, Mixture,
                         ::testing::Values(std::pair{0, 3.0}, std::pair{3, 3.0}, std::pair{12, 3.0}, std::pair{0, 1.0},
                                           std::pair{4, 0.75}));

TEST(MixtureOfExperts, CapacityIsTheShareOfTheTokensRoundedUp) {
  MixtureOptions options;
  options.experts = 2048;
  EXPECT_EQ(expert_capacity(options, 2048), 2);
  options.capacity_factor = 1.25;
  EXPECT_EQ(expert_capacity(options, 16384), 10);
  EXPECT_EQ(expert_capacity(options, 16), 1);
}

// Lingvo: the share without its fraction, 4 if that is zero, rounded up to a multiple of 4.
TEST(MixtureOfExperts, CapacityIsAMultipleAsInLingvo) {
  MixtureOptions options;
  options.slot_multiple = 4;
  options.experts = 2048;
  EXPECT_EQ(expert_capacity(options, 512), 4) << "half a slot";
  EXPECT_EQ(expert_capacity(options, 2048), 4) << "2 slots";
  options.experts = 512;
  EXPECT_EQ(expert_capacity(options, 1024), 4) << "4 slots";
  options.experts = 128;
  EXPECT_EQ(expert_capacity(options, 545), 8) << "8.5 slots";
  EXPECT_EQ(expert_capacity(options, 600), 12) << "9.4 slots";
}

}  // namespace
}  // namespace podsim::workloads::layers
