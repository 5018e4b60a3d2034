// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/complex_gradient.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hlo/transform/gradient.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/transform/finite_differences.h"

namespace podsim::hlo::transform {
namespace {

using testing::expect_gradients_match;
using testing::f64;
using testing::Ids;
using testing::Write;

Literal numbers(std::vector<std::int64_t> sizes, unsigned seed) {
  return testing::random_literal(make_shape(f64, std::move(sizes)), seed, 0.3, 1.3);
}

/// re(w) - 3 im(w) / 2, which shows both parts of a value.
InstructionId shown(build::GraphBuilder& b, InstructionId w) {
  const InstructionId re = b.unary(Opcode::real, w), im = b.unary(Opcode::imag, w);
  return b.subtract(re, b.multiply(im, b.full_like(im, 1.5)));
}

/// Central differences with respect to both parts of z.
void expect_matches(const std::function<InstructionId(build::GraphBuilder&, InstructionId)>& write,
                    std::vector<std::int64_t> sizes = {4}) {
  expect_gradients_match(
      [&](build::GraphBuilder& b, const Ids& x) { return shown(b, write(b, b.binary(Opcode::complex, x[0], x[1]))); },
      {numbers(sizes, 1), numbers(sizes, 2)});
}

InstructionId transformed(build::GraphBuilder& b, InstructionId x, const char* type,
                          std::vector<std::int64_t> lengths) {
  Instruction fft;
  fft.opcode = Opcode::fft;
  fft.target = type;
  fft.dimensions = std::move(lengths);
  fft.operands = {x};
  return b.add(std::move(fft));
}

TEST(ComplexGradient, OfHolomorphicFunctionsIsThatOfBothParts) {
  for (const Opcode opcode :
       {Opcode::negate, Opcode::exponential, Opcode::log, Opcode::sqrt, Opcode::rsqrt, Opcode::sine, Opcode::cosine,
        Opcode::tan, Opcode::tanh, Opcode::logistic, Opcode::exponential_minus_one, Opcode::log_plus_one}) {
    SCOPED_TRACE(std::string(hlo::to_string(opcode)));
    expect_matches([&](auto& b, InstructionId z) { return b.unary(opcode, z); });
  }
  for (const Opcode opcode : {Opcode::add, Opcode::subtract, Opcode::multiply, Opcode::divide, Opcode::power}) {
    SCOPED_TRACE(std::string(hlo::to_string(opcode)));
    expect_matches([&](auto& b, InstructionId z) { return b.binary(opcode, z, b.exponential(z)); });
  }
}

TEST(ComplexGradient, OfPartsConjugatesAndMagnitudesIsThatOfBothParts) {
  const Write magnitude = [](build::GraphBuilder& b, const Ids& x) {
    return b.abs(b.binary(Opcode::complex, x[0], x[1]));
  };
  expect_gradients_match(magnitude, {numbers({3}, 1), numbers({3}, 2)});
  expect_matches([](auto& b, InstructionId z) {
    const InstructionId re = b.unary(Opcode::real, z), im = b.unary(Opcode::imag, z);
    return b.multiply(z, b.binary(Opcode::complex, b.multiply(re, im), b.negate(im)));  // no holomorphic function
  });
  expect_matches([](auto& b, InstructionId z) {
    const InstructionId re = b.convert(z, f64);  // the real part
    return b.multiply(z, b.convert(b.multiply(re, re), ElementType::c128));
  });
}

// |z| has no derivative at 0; the gradient there is 0 and not NaN.
TEST(ComplexGradient, OfTheMagnitudeOfZeroIsZero) {
  const Write magnitude = [](build::GraphBuilder& b, const Ids& x) {
    return b.abs(b.binary(Opcode::complex, x[0], x[1]));
  };
  const Literal zero = make_zeros(make_shape(f64, {1}));
  const Literal result = eval::evaluate(testing::loss_module(magnitude, {zero, zero}, true), std::vector{zero, zero});
  EXPECT_EQ(result.elements[1].values[0], 0);
  EXPECT_EQ(result.elements[2].values[0], 0);
}

TEST(ComplexGradient, OfWhatMovesMultipliesAndAddsIsThatOfBothParts) {
  const std::vector<std::int64_t> sizes{2, 3};
  expect_matches([](auto& b, InstructionId z) { return b.dot(z, b.exponential(z), {{}, {}, {1}, {1}}); }, sizes);
  expect_matches([](auto& b, InstructionId z) { return b.reduce_add(b.multiply(z, z), {1}); }, sizes);
  expect_matches(
      [](auto& b, InstructionId z) {
        return b.multiply(b.transpose(z, {1, 0}), b.reshape(z, {3, 2}));
      },
      sizes);
  expect_matches(
      [](auto& b, InstructionId z) {
        return b.exponential(
            b.slice(b.pad(z, b.constant(ElementType::c128, 2), {{1, 0, 0}, {0, 1, 1}}), {{0, 3, 1}, {0, 5, 2}}));
      },
      sizes);
  expect_matches(
      [](auto& b, InstructionId z) {
        return b.concatenate({b.multiply(z, z), b.reverse(z, {0})}, 0);
      },
      sizes);
  expect_matches(
      [](auto& b, InstructionId z) {
        const InstructionId rows = b.constant(testing::make_literal(ElementType::s32, {3, 1}, {1, 0, 1}));
        return b.exponential(b.gather(z, rows, {{1}, {0}, {0}, {}, {}, 1}, {1, 3}));
      },
      sizes);
  expect_matches(
      [](auto& b, InstructionId z) {
        const InstructionId image = b.reshape(z, {1, 3, 2});
        const InstructionId kernel = b.reshape(b.exponential(z), {3, 1, 2});
        Instruction convolution;
        convolution.opcode = Opcode::convolution;
        convolution.shape.element_type = ElementType::c128;
        convolution.operands = {image, kernel};
        convolution.window = {testing::window(3, 1, 1, 1)};
        convolution.convolution = build::convolution_dimensions("b0f_0io->b0f");
        convolution.feature_groups = 2;
        return b.add(std::move(convolution));
      },
      sizes);
}

TEST(ComplexGradient, OfTransformsIsThatOfBothParts) {
  for (const std::int64_t n : {1, 2, 3, 6}) {
    SCOPED_TRACE(n);
    for (const char* type : {"FFT", "IFFT"}) {
      expect_matches([&](auto& b, InstructionId z) { return transformed(b, b.multiply(z, z), type, {n}); }, {2, n});
      expect_matches([&](auto& b, InstructionId z) { return transformed(b, z, type, {2, n}); }, {2, n});
    }
    const std::int64_t half = n / 2 + 1;
    for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{n}, {2, n}}) {
      expect_matches(
          [&](auto& b, InstructionId z) { return transformed(b, b.unary(Opcode::real, z), "RFFT", lengths); }, {2, n});
      expect_matches(
          [&](auto& b, InstructionId z) {
            const InstructionId x = transformed(b, b.multiply(z, z), "IRFFT", lengths);
            return b.binary(Opcode::complex, x, b.multiply(x, x));
          },
          {2, half});
    }
  }
}

// z / |z| has no derivative at 0 either.
TEST(ComplexGradient, OfTheSignOfZeroIsZero) {
  const Write sign = [](build::GraphBuilder& b, const Ids& x) {
    return shown(b, b.sign(b.binary(Opcode::complex, x[0], x[1])));
  };
  const Literal zero = make_zeros(make_shape(f64, {1}));
  const Literal result = eval::evaluate(testing::loss_module(sign, {zero, zero}, true), std::vector{zero, zero});
  EXPECT_EQ(result.elements[1].values[0], 0);
  EXPECT_EQ(result.elements[2].values[0], 0);
}

}  // namespace
}  // namespace podsim::hlo::transform
