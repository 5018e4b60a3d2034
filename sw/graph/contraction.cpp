// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/contraction.h"

#include <algorithm>

#include "sw/graph/index_space.h"

namespace podsim::sw {

namespace {

using Index = std::vector<std::int64_t>;

/// Offsets into input and kernel of one multiply-accumulate per feature.
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
  const Index kernel_strides = row_major_strides(kernel.shape.dimensions);
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
      tap.kernel +=
          (window.window_reversal ? window.size - 1 - at[i] : at[i]) * kernel_strides[roles.kernel_spatial[i]];
    }
    taps.push_back(tap);
  });
  return taps;
}

double sum_products(const double* x, std::int64_t x_step, const double* y, std::int64_t y_step, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += x[i * x_step] * y[i * y_step];
  return sum;
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

}  // namespace

Literal evaluate_convolution(const Instruction& instruction, const Literal& input, const Literal& kernel) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Shape& shape = instruction.shape;
  Literal result{shape, std::vector<double>(shape.element_count()), {}};
  const Index input_strides = row_major_strides(input.shape.dimensions);
  const Index kernel_strides = row_major_strides(kernel.shape.dimensions);
  const Index strides = row_major_strides(shape.dimensions);
  const std::int64_t depth = input.shape.dimensions[roles.input_feature];
  for_each_index(sizes_of(shape, roles.output_spatial), [&](const Index& place) {
    const std::vector<Tap> taps = valid_taps(instruction, input, kernel, place);
    const std::int64_t base = offset_of(place, roles.output_spatial, strides);
    for (std::int64_t b = 0; b < shape.dimensions[roles.output_batch]; ++b) {
      for (std::int64_t f = 0; f < shape.dimensions[roles.output_feature]; ++f) {
        const double* x = input.values.data() + b * input_strides[roles.input_batch];
        const double* y = kernel.values.data() + f * kernel_strides[roles.kernel_output_feature];
        double sum = 0;
        for (const Tap& tap : taps) {
          sum += sum_products(x + tap.input, input_strides[roles.input_feature], y + tap.kernel,
                              kernel_strides[roles.kernel_input_feature], depth);
        }
        result.values[base + b * strides[roles.output_batch] + f * strides[roles.output_feature]] =
            round_to(shape.element_type, sum);
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
  for (std::size_t b = 0; b < lhs_batch.size(); ++b) {
    for (std::int64_t row : rows) {
      for (std::int64_t column : columns) {
        double sum = 0;
        for (std::size_t k = 0; k < lhs_inner.size(); ++k) {
          sum += lhs.values[lhs_batch[b] + row + lhs_inner[k]] * rhs.values[rhs_batch[b] + column + rhs_inner[k]];
        }
        result.values.push_back(round_to(instruction.shape.element_type, sum));
      }
    }
  }
  return result;
}

}  // namespace podsim::sw
