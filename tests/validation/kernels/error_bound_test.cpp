// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/error_bound.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"

namespace podsim::validation::kernels {
namespace {

using hlo::testing::make_literal;
using hlo::testing::random_literal;

using hlo::testing::bf16;
using hlo::testing::f32;
using hlo::testing::infinity;
using hlo::testing::nan;

struct Bounded {
  hlo::Literal value, bound;
};

using Write = std::function<hlo::InstructionId(hlo::build::GraphBuilder&, const std::vector<hlo::InstructionId>&)>;

/// The result of `write` for the arguments, and the bound of its error.
Bounded bounded(double steps, const std::vector<hlo::Literal>& arguments, const Write& write) {
  hlo::build::GraphBuilder b("test");
  std::vector<hlo::InstructionId> parameters;
  for (const hlo::Literal& argument : arguments) {
    parameters.push_back(b.parameter(argument.shape, "p" + std::to_string(parameters.size())));
  }
  const hlo::InstructionId root = write(b, parameters);
  const hlo::Module module = with_error_bounds(std::move(b).build(root), steps);
  hlo::build::verify(module);
  hlo::Literal both = hlo::eval::evaluate(module, arguments);
  return {both.elements[0], both.elements[1]};
}

hlo::Literal vector_of(hlo::ElementType type, std::vector<double> values) {
  return hlo::testing::make_literal(type, {std::int64_t(values.size())}, values);
}

/// Row-wise softmax in the type of x.
hlo::InstructionId softmax(hlo::build::GraphBuilder& b, hlo::InstructionId x) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const hlo::InstructionId shifted = b.subtract(x, b.broadcast(b.reduce_max(x, {1}), sizes, {0}));
  const hlo::InstructionId e = b.exponential(shifted);
  return b.divide(e, b.broadcast(b.reduce_add(e, {1}), sizes, {0}));
}

TEST(ErrorBound, OfWhatOnlyMovesValuesIsZero) {
  const Bounded result =
      bounded(10, {hlo::testing::random_literal(hlo::make_shape(f32, {3, 5}), 1)},
              [](hlo::build::GraphBuilder& b, const auto& p) {
                return b.maximum(b.transpose(b.negate(p[0]), {1, 0}), b.full(hlo::make_shape(f32, {5, 3}), 0.25));
              });
  for (double bound : result.bound.values) EXPECT_EQ(bound, 0);
}

TEST(ErrorBound, OfADotIsTheStepsTimesTheSumOfMagnitudes) {
  const hlo::Literal lhs = hlo::testing::random_literal(hlo::make_shape(f32, {4, 50}), 1),
                     rhs = hlo::testing::random_literal(hlo::make_shape(f32, {50, 6}), 2);
  const Bounded result = bounded(3, {lhs, rhs}, [](hlo::build::GraphBuilder& b, const auto& p) {
    return b.dot(p[0], p[1], {{}, {}, {1}, {0}});
  });
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 6; ++column) {
      double magnitudes = 0;
      for (int k = 0; k < 50; ++k) magnitudes += std::abs(lhs.values[row * 50 + k] * rhs.values[k * 6 + column]);
      EXPECT_NEAR(result.bound.values[row * 6 + column], 3 * std::ldexp(magnitudes, -24), 1e-12 * magnitudes);
    }
  }
}

// (x + 1) - 1 cancels: the error of the sum stays when the sum is gone.
TEST(ErrorBound, SurvivesCancellation) {
  const Bounded result = bounded(1, {vector_of(f32, {1e-6})}, [](hlo::build::GraphBuilder& b, const auto& p) {
    const hlo::InstructionId one = b.full_like(p[0], 1);
    return b.subtract(b.add(p[0], one), one);
  });
  EXPECT_GE(result.bound.values[0], std::ldexp(1, -24));
  EXPECT_LE(result.bound.values[0], 4 * std::ldexp(1, -24));
}

// Single precision in plain loops, in another order, acts as a kernel with an error of one step per operation.
TEST(ErrorBound, HoldsForASoftmaxInSinglePrecisionAndIsNotFarFromIt) {
  constexpr int rows = 20, columns = 100;
  const hlo::Literal x = hlo::testing::random_literal(hlo::make_shape(f32, {rows, columns}), 7, -4, 4);
  const Bounded result = bounded(4, {x}, [](hlo::build::GraphBuilder& b, const auto& p) { return softmax(b, p[0]); });
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    float most = -std::numeric_limits<float>::infinity(), sum = 0;
    for (int i = 0; i < columns; ++i) most = std::max(most, float(x.values[row * columns + i]));
    for (int i = columns; i-- > 0;) sum += std::exp(float(x.values[row * columns + i]) - most);
    for (int i = 0; i < columns; ++i) {
      const float found = std::exp(float(x.values[row * columns + i]) - most) * (1 / sum);
      const std::size_t at = std::size_t(row * columns + i);
      worst = std::max(worst, std::abs(double(found) - result.value.values[at]) / result.bound.values[at]);
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GE(worst, 0.01);
}

TEST(ErrorBound, OfWhatIsNotFiniteIsZeroAndDoesNotSpoilTheRest) {
  const Bounded result =
      bounded(1, {vector_of(f32, {infinity, -infinity, nan, 2})}, [](hlo::build::GraphBuilder& b, const auto& p) {
        return b.exponential(b.multiply(b.add(p[0], b.full_like(p[0], 1)), b.full_like(p[0], 3)));
      });
  EXPECT_EQ(result.bound.values[0], 0);
  EXPECT_EQ(result.value.values[1], 0);
  EXPECT_LT(result.bound.values[1], 1e-40);
  EXPECT_EQ(result.bound.values[2], 0);
  EXPECT_GT(result.bound.values[3], 0);
  EXPECT_LT(result.bound.values[3], 1e-4 * std::exp(9.0));
}

TEST(ErrorBound, RoundingToBf16TakesASideOnlyWhereTheValueIsWithinReachOfTheBoundary) {
  // Between 1 and 1 + 2^-7 the boundary is 1 + 2^-8.
  const double boundary = 1 + std::ldexp(1, -8);
  const hlo::Literal x = vector_of(f32, {boundary - std::ldexp(1, -23), 1 + std::ldexp(1, -12), 1});
  const Write doubled_and_halved = [](hlo::build::GraphBuilder& b, const auto& p) {
    return b.convert(b.add(p[0], b.full_like(p[0], 0)), bf16);
  };
  const Bounded result = bounded(4, {x}, doubled_and_halved);
  EXPECT_EQ(result.bound.values[0], std::ldexp(1, -7));
  EXPECT_EQ(result.bound.values[1], 0);
  EXPECT_EQ(result.bound.values[2], 0);
}

// The oracle is the rounding itself, at a scale from 1 to 2: the scale moves x within its binade.
TEST(ErrorBound, OfReducedPrecisionHoldsForRoundingsAtAnyScale) {
  const hlo::Literal x = hlo::testing::random_literal(hlo::make_shape(f32, {200}), 8);
  const Bounded result = bounded(4, {x}, [](hlo::build::GraphBuilder& b, const auto& p) {
    hlo::Instruction rounding;
    rounding.opcode = hlo::Opcode::reduce_precision;
    rounding.operands = {p[0]};
    rounding.exponent_bits = 8;
    rounding.mantissa_bits = 7;
    return b.add(std::move(rounding));
  });
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    for (double scale = 1; scale < 2; scale += 0.0625) {
      const double rounded = hlo::round_to(bf16, x.values[i] * scale) / scale;
      EXPECT_LE(std::abs(rounded - result.value.values[i]), result.bound.values[i]) << x.values[i] << " " << scale;
    }
    EXPECT_LE(result.bound.values[i], std::abs(x.values[i]) / 64) << "no more than twice the roundings of two";
  }
}

TEST(ErrorBound, OfIntegersIsZero) {
  const Bounded result = bounded(4, {vector_of(f32, {5, 6})}, [](hlo::build::GraphBuilder& b, const auto& p) {
    const hlo::Shape numbers = hlo::make_shape(hlo::ElementType::s32, {2});
    const hlo::InstructionId next = b.add(b.iota(numbers, 0), b.full(numbers, 1));
    const hlo::InstructionId one = b.compare(next, b.full(numbers, 1), hlo::ComparisonDirection::le);
    return b.select(one, p[0], b.full_like(p[0], 0));
  });
  EXPECT_EQ(result.value.values, (std::vector<double>{5, 0}));
  EXPECT_EQ(result.bound.values, (std::vector<double>{0, 0}));
}

TEST(ErrorBound, OfAGatherIsGathered) {
  const Bounded result = bounded(1, {vector_of(f32, {1, 2, 3})}, [](hlo::build::GraphBuilder& b, const auto& p) {
    const hlo::InstructionId indices = b.constant({hlo::make_shape(hlo::ElementType::s32, {2, 1}), {2, 0}, {}});
    hlo::GatherDimensions dimensions;
    dimensions.collapsed = {0};
    dimensions.index_map = {0};
    dimensions.index_vector = 1;
    return b.gather(b.exponential(p[0]), indices, dimensions, {1});
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_GE(result.bound.values[std::size_t(i)], result.value.values[std::size_t(i)] * 0x1p-24);
  EXPECT_GT(result.bound.values[0], 5 * result.bound.values[1]) << "exp(3) is 7.4 times exp(1)";
}

TEST(ErrorBound, RoundingAnInputIsExact) {
  const Bounded result = bounded(4, {hlo::testing::random_literal(hlo::make_shape(f32, {100}), 3)},
                                 [](hlo::build::GraphBuilder& b, const auto& p) { return b.convert(p[0], bf16); });
  for (double bound : result.bound.values) EXPECT_EQ(bound, 0);
}

TEST(ErrorBound, AChoiceThatMayGoEitherWayAllowsBoth) {
  const hlo::Literal x = vector_of(f32, {1, 3});
  const Bounded result = bounded(1, {x}, [](hlo::build::GraphBuilder& b, const auto& p) {
    const hlo::InstructionId third = b.divide(p[0], b.full_like(p[0], 3));
    const hlo::InstructionId one = b.multiply(third, b.full_like(p[0], 3));
    const hlo::InstructionId above = b.compare(one, b.full_like(p[0], 1), hlo::ComparisonDirection::gt);
    return b.select(above, b.full_like(p[0], 10), b.full_like(p[0], -10));
  });
  EXPECT_EQ(result.bound.values[0], 20);
  EXPECT_EQ(result.bound.values[1], 0);
}

TEST(ErrorBound, OfPredicatesIsTheUncertaintyOfTheirOperands) {
  const hlo::Literal x = vector_of(f32, {1, 3});
  const Bounded result = bounded(1, {x}, [](hlo::build::GraphBuilder& b, const auto& p) {
    const hlo::InstructionId one = b.add(p[0], b.full_like(p[0], 0));
    const hlo::InstructionId above = b.compare(one, b.full_like(p[0], 1), hlo::ComparisonDirection::gt);
    const hlo::InstructionId certain = b.compare(p[0], b.full_like(p[0], 2), hlo::ComparisonDirection::gt);
    return b.unary(hlo::Opcode::logical_not, b.binary(hlo::Opcode::logical_xor, above, certain));
  });
  EXPECT_EQ(result.bound.values[0], 1);
  EXPECT_EQ(result.bound.values[1], 0);
}

TEST(ErrorBound, WhetherANumberIsFiniteIsUncertainAtTheLargestOnly) {
  const double largest = std::numeric_limits<float>::max();
  const hlo::Literal x = vector_of(f32, {1, largest, -largest, infinity, nan});
  const Bounded result = bounded(1, {x}, [](hlo::build::GraphBuilder& b, const auto& p) {
    return b.unary(hlo::Opcode::is_finite, b.add(p[0], b.full_like(p[0], 0)));
  });
  EXPECT_EQ(result.bound.values, (std::vector<double>{0, 1, 1, 0, 0}));
}

// 1 / b is infinite in f32 for b up to 2^-128.
TEST(ErrorBound, OfAQuotientByADenormalWithoutAReciprocalIsInfinite) {
  const hlo::Literal a = vector_of(f32, {std::ldexp(1, -100), 1}), b = vector_of(f32, {std::ldexp(1, -130), 2});
  const Bounded result =
      bounded(6, {a, b}, [](hlo::build::GraphBuilder& g, const auto& p) { return g.divide(p[0], p[1]); });
  EXPECT_EQ(result.bound.values[0], infinity);
  EXPECT_LE(result.bound.values[1], std::ldexp(6, -24));
}

TEST(ErrorBound, WithoutStepsIsZeroThroughout) {
  const Bounded result = bounded(0, {hlo::testing::random_literal(hlo::make_shape(f32, {4, 9}), 5)},
                                 [](hlo::build::GraphBuilder& b, const auto& p) { return softmax(b, p[0]); });
  for (double bound : result.bound.values) EXPECT_EQ(bound, 0);
}

TEST(ErrorBound, LeavesTheReferenceAsItIs) {
  const hlo::Literal x = hlo::testing::random_literal(hlo::make_shape(f32, {4, 9}), 6);
  hlo::build::GraphBuilder b("test");
  const hlo::InstructionId parameter = b.parameter(x.shape, "x");
  const hlo::InstructionId root = softmax(b, parameter);
  const hlo::Module module = std::move(b).build(root);
  const hlo::Literal alone = hlo::eval::evaluate(module, std::vector{x});
  EXPECT_EQ(hlo::eval::evaluate(with_error_bounds(module, 4), std::vector{x}).elements[0].values, alone.values);
}

}  // namespace
}  // namespace podsim::validation::kernels
