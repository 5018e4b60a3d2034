// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/complex/fourier.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "base/host/interrupt.h"
#include "hlo/eval/complex/complex_function.h"

namespace podsim::hlo::eval::complex {

namespace {

using Numbers = std::vector<std::complex<double>>;

std::size_t smallest_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

/// The transform of x; `direction` is the sign of the exponent.
Numbers transform(const Numbers& x, double direction) {
  const std::size_t size = x.size();
  if (size <= 1) return x;
  base::host::end_if_interrupted();
  const std::size_t parts = smallest_factor(size), length = size / parts;
  std::vector<Numbers> transformed;
  for (std::size_t p = 0; p < parts; ++p) {
    Numbers part(length);
    for (std::size_t i = 0; i < length; ++i) part[i] = x[i * parts + p];
    transformed.push_back(length > 1 ? transform(part, direction) : std::move(part));
  }
  Numbers result(size);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t p = 0; p < parts; ++p) {
      const double turns = double(p * k % size) / double(size);
      result[k] += transformed[p][k % length] * std::polar(1.0, direction * 2 * std::numbers::pi * turns);
    }
  }
  return result;
}

/// An array of complex numbers whose dimensions are transformed one by one.
struct Field {
  std::vector<std::int64_t> sizes;
  Numbers numbers;

  void transform_along(std::size_t dimension, double direction) {
    const auto length = std::size_t(sizes[dimension]);
    std::size_t stride = 1;
    for (std::size_t d = dimension + 1; d < sizes.size(); ++d) stride *= std::size_t(sizes[d]);
    const double scale = direction > 0 ? 1 / double(length) : 1;
    for (std::size_t block = 0; block < numbers.size(); block += length * stride) {
      for (std::size_t inner = 0; inner < stride; ++inner) {
        Numbers line(length);
        for (std::size_t i = 0; i < length; ++i) line[i] = numbers[block + i * stride + inner];
        line = transform(line, direction);
        for (std::size_t i = 0; i < length; ++i) numbers[block + i * stride + inner] = line[i] * scale;
      }
    }
  }

  /// The first `size` elements of the last dimension, or, if it is longer, the others as the conjugates of those that
  /// mirror them.
  Field with_last(std::int64_t size) const {
    Field made{sizes, {}};
    made.sizes.back() = size;
    const std::int64_t held = sizes.back();
    const std::int64_t rows = held == 0 ? 0 : std::int64_t(numbers.size()) / held;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < size; ++i) {
        made.numbers.push_back(i < held ? numbers[std::size_t(row * held + i)]
                                        : std::conj(numbers[std::size_t(row * held + size - i)]));
      }
    }
    return made;
  }
};

}  // namespace

Literal evaluate_fft(const Instruction& instruction, const Literal& operand) {
  const bool inverse = instruction.target.starts_with("I"), real = instruction.target.ends_with("RFFT");
  const Literal x = real_parts(operand), y = imaginary_parts(operand);
  Field field{operand.shape.dimensions, {}};
  for (std::size_t i = 0; i < x.values.size(); ++i) field.numbers.emplace_back(x.values[i], y.values[i]);
  const std::size_t last = field.sizes.size() - 1, first = field.sizes.size() - instruction.dimensions.size();
  for (std::size_t d = first; d < last; ++d) field.transform_along(d, inverse ? 1 : -1);
  if (real && inverse) field = field.with_last(instruction.dimensions.back());
  field.transform_along(last, inverse ? 1 : -1);
  if (real && !inverse) field = field.with_last(instruction.shape.dimensions.back());
  Literal reals = make_zeros(make_shape(ElementType::f64, instruction.shape.dimensions)), imaginary = reals;
  for (std::size_t i = 0; i < field.numbers.size(); ++i) {
    reals.values[i] = field.numbers[i].real();
    imaginary.values[i] = field.numbers[i].imag();
  }
  return joined(instruction.shape, reals, imaginary);
}

}  // namespace podsim::hlo::eval::complex
