// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/contraction.h"

#include <algorithm>

#include "sw/graph/index_space.h"

namespace podsim::sw {

namespace {

using Index = std::vector<std::int64_t>;

/// Where one kernel position's multiply-accumulates are: offset into the input, and the position's number.
struct Tap {
  std::int64_t input;
  std::int64_t kernel;
};

/// The part of an array index that one set of dimensions contributes.
std::int64_t offset_of(const Index& index, const std::vector<int>& dimensions, const Index& strides) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) offset += index[i] * strides[dimensions[i]];
  return offset;
}

Index sizes_of(const Shape& shape, const std::vector<int>& dimensions) {
  Index sizes;
  for (int dimension : dimensions) sizes.push_back(shape.dimensions[dimension]);
  return sizes;
}

/// The kernel positions whose input element exists, for the output at `place`.
std::vector<Tap> valid_taps(const Instruction& instruction, const Literal& input, const Literal& kernel,
                            const Index& place) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Index input_strides = row_major_strides(input.shape.dimensions);
  const Index position_strides = row_major_strides(sizes_of(kernel.shape, roles.kernel_spatial));
  std::vector<Tap> taps;
  for_each_index(sizes_of(kernel.shape, roles.kernel_spatial), [&](const Index& at) {
    Tap tap{0, 0};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const WindowDimension& window = instruction.window[i];
      const std::int64_t dilated = place[i] * window.stride + at[i] * window.window_dilation - window.padding_low;
      if (dilated < 0 || dilated % window.base_dilation != 0) return;
      const std::int64_t from = dilated / window.base_dilation;
      if (from >= input.shape.dimensions[roles.input_spatial[i]]) return;
      tap.input += from * input_strides[roles.input_spatial[i]];
      tap.kernel += (window.window_reversal ? window.size - 1 - at[i] : at[i]) * position_strides[i];
    }
    taps.push_back(tap);
  });
  return taps;
}

/// sums[i] += sum over k of x[k * x_step] * y[k * sums.size() + i], in the order of k. Innermost are sums that do not
/// depend on each other, which is several times faster than one sum after another and gives the same bits.
void add_products(std::vector<double>& sums, const double* x, std::int64_t x_step, const double* y,
                  std::int64_t count) {
  const std::size_t columns = sums.size();
  for (std::int64_t k = 0; k < count; ++k, y += columns) {
    const double factor = x[k * x_step];
    for (std::size_t i = 0; i < columns; ++i) sums[i] += factor * y[i];
  }
}

std::vector<int> free_dimensions(int rank, const std::vector<int>& batch, const std::vector<int>& contracting) {
  std::vector<int> dimensions;
  for (int i = 0; i < rank; ++i) {
    if (std::ranges::count(batch, i) + std::ranges::count(contracting, i) == 0) dimensions.push_back(i);
  }
  return dimensions;
}

/// Offsets of all indices over some dimensions of an array, in row-major order of those dimensions.
std::vector<std::int64_t> offsets_over(const Shape& shape, const std::vector<int>& dimensions) {
  const Index strides = row_major_strides(shape.dimensions);
  std::vector<std::int64_t> offsets;
  for_each_index(sizes_of(shape, dimensions),
                 [&](const Index& index) { offsets.push_back(offset_of(index, dimensions, strides)); });
  return offsets;
}

/// The elements at base + row + column of every row and column, row by row.
std::vector<double> gathered(const Literal& literal, std::int64_t base, const std::vector<std::int64_t>& rows,
                             const std::vector<std::int64_t>& columns) {
  std::vector<double> values;
  values.reserve(rows.size() * columns.size());
  for (std::int64_t row : rows) {
    for (std::int64_t column : columns) values.push_back(literal.values[std::size_t(base + row + column)]);
  }
  return values;
}

/// A convolution's kernel as position, input feature, output feature.
std::vector<double> ordered_kernel(const ConvolutionDimensions& roles, const Literal& kernel) {
  std::vector<int> rows = roles.kernel_spatial;
  rows.push_back(roles.kernel_input_feature);
  return gathered(kernel, 0, offsets_over(kernel.shape, rows),
                  offsets_over(kernel.shape, {roles.kernel_output_feature}));
}

}  // namespace

Literal evaluate_convolution(const Instruction& instruction, const Literal& input, const Literal& kernel) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Shape& shape = instruction.shape;
  Literal result{shape, std::vector<double>(shape.element_count()), {}};
  const Index input_strides = row_major_strides(input.shape.dimensions);
  const Index strides = row_major_strides(shape.dimensions);
  const std::int64_t depth = input.shape.dimensions[roles.input_feature];
  const std::int64_t features = shape.dimensions[roles.output_feature];
  const std::vector<double> weights = ordered_kernel(roles, kernel);
  std::vector<double> sums(features);
  for_each_index(sizes_of(shape, roles.output_spatial), [&](const Index& place) {
    const std::vector<Tap> taps = valid_taps(instruction, input, kernel, place);
    for (std::int64_t b = 0; b < shape.dimensions[roles.output_batch]; ++b) {
      const double* x = input.values.data() + b * input_strides[roles.input_batch];
      std::ranges::fill(sums, 0.0);
      for (const Tap& tap : taps) {
        add_products(sums, x + tap.input, input_strides[roles.input_feature],
                     weights.data() + tap.kernel * depth * features, depth);
      }
      const std::int64_t base = offset_of(place, roles.output_spatial, strides) + b * strides[roles.output_batch];
      for (std::int64_t f = 0; f < features; ++f) {
        result.values[base + f * strides[roles.output_feature]] = round_to(shape.element_type, sums[f]);
      }
    }
  });
  return result;
}

Literal evaluate_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs) {
  const DotDimensions& roles = instruction.dot;
  Literal result{instruction.shape, {}, {}};
  result.values.reserve(instruction.shape.element_count());
  const auto lhs_batch = offsets_over(lhs.shape, roles.lhs_batch);
  const auto rhs_batch = offsets_over(rhs.shape, roles.rhs_batch);
  const auto lhs_inner = offsets_over(lhs.shape, roles.lhs_contracting);
  const auto rhs_inner = offsets_over(rhs.shape, roles.rhs_contracting);
  const auto rows = offsets_over(lhs.shape, free_dimensions(lhs.shape.rank(), roles.lhs_batch, roles.lhs_contracting));
  const auto columns =
      offsets_over(rhs.shape, free_dimensions(rhs.shape.rank(), roles.rhs_batch, roles.rhs_contracting));
  const std::int64_t depth = std::int64_t(lhs_inner.size());
  std::vector<double> sums(columns.size());
  for (std::size_t b = 0; b < lhs_batch.size(); ++b) {
    const std::vector<double> x = gathered(lhs, lhs_batch[b], rows, lhs_inner);
    const std::vector<double> y = gathered(rhs, rhs_batch[b], rhs_inner, columns);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::ranges::fill(sums, 0.0);
      add_products(sums, x.data() + std::int64_t(row) * depth, 1, y.data(), depth);
      for (double sum : sums) result.values.push_back(round_to(instruction.shape.element_type, sum));
    }
  }
  return result;
}

}  // namespace podsim::sw
