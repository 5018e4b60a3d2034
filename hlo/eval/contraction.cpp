// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/contraction.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "base/host/interrupt.h"
#include "hlo/eval/complex/complex_function.h"
#include "hlo/eval/element.h"
#include "hlo/eval/index_space.h"
#include "hlo/rules/contraction_shape.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

/// A kernel position that contributes to an output: offset into the input, and number of the kernel position.
struct Tap {
  std::int64_t input;
  std::int64_t kernel;
};

/// Offset that one set of dimensions contributes to an index into the array.
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

/// Kernel positions whose input element exists, for the output at index `place`.
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

/// The elements of an array as the operands of products: real numbers, or integers modulo 2^64.
template <class Number>
std::vector<Number> numbers_of(const Literal& literal) {
  if constexpr (std::is_same_v<Number, double>) {
    return literal.values;
  } else {
    const ElementType type = literal.shape.element_type;
    const std::int64_t count = literal.shape.element_count();
    std::vector<Number> numbers;
    numbers.reserve(std::size_t(count));
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(Number(integer_of(type, element_of(literal, i))));
    return numbers;
  }
}

template <class Number>
void store(Literal& result, std::int64_t i, Number sum) {
  const ElementType type = result.shape.element_type;
  if constexpr (std::is_same_v<Number, double>) {
    result.values[std::size_t(i)] = round_to(type, sum);
  } else {
    set_element(result, i, integer_element(type, std::int64_t(sum)));
  }
}

/// sums[i] += sum over k of x[k * x_step] * y[k * sums.size() + i], in the order of k. The inner loop runs over
/// independent sums, which is several times faster than one sum after another and gives the same bits.
template <class Number>
void add_products(std::vector<Number>& sums, const Number* x, std::int64_t x_step, const Number* y,
                  std::int64_t count) {
  const std::size_t columns = sums.size();
  for (std::int64_t k = 0; k < count; ++k, y += columns) {
    base::host::end_if_interrupted();
    const Number factor = x[k * x_step];
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

/// Elements at base + row + column for every row and column, row by row.
template <class Number>
std::vector<Number> gathered(const std::vector<Number>& numbers, std::int64_t base,
                             const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
  std::vector<Number> values;
  values.reserve(rows.size() * columns.size());
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) values.push_back(numbers[std::size_t(base + row + column)]);
  }
  return values;
}

/// A group of a grouped convolution, or the whole of an ungrouped one.
template <class Number>
struct ConvolutionGroup {
  std::int64_t input = 0;       ///< offset of its input features or batches
  std::int64_t output = 0;      ///< offset of its output features
  std::vector<Number> weights;  ///< by kernel position, input feature, output feature
};

/// Feature groups split the input's features, batch groups its batch; both split the output's features.
template <class Number>
std::vector<ConvolutionGroup<Number>> groups_of(const Instruction& instruction, const Literal& input,
                                                const Literal& kernel) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Index input_strides = row_major_strides(input.shape.dimensions);
  const Index kernel_strides = row_major_strides(kernel.shape.dimensions);
  const Index output_strides = row_major_strides(instruction.shape.dimensions);
  const std::int64_t count = std::max(instruction.feature_groups, instruction.batch_groups);
  const std::int64_t features = kernel.shape.dimensions[roles.kernel_output_feature] / count;
  const int split = instruction.batch_groups > 1 ? roles.input_batch : roles.input_feature;
  std::vector<int> rows = roles.kernel_spatial;
  rows.push_back(roles.kernel_input_feature);
  const std::vector<std::int64_t> row_offsets = offsets_over(kernel.shape, rows);
  std::vector<std::int64_t> columns;
  for (std::int64_t f = 0; f < features; ++f) columns.push_back(f * kernel_strides[roles.kernel_output_feature]);
  const std::vector<Number> weights = numbers_of<Number>(kernel);
  std::vector<ConvolutionGroup<Number>> groups;
  for (std::int64_t g = 0; g < count; ++g) {
    groups.push_back(
        {g * (input.shape.dimensions[split] / count) * input_strides[split],
         g * features * output_strides[roles.output_feature],
         gathered(weights, g * features * kernel_strides[roles.kernel_output_feature], row_offsets, columns)});
  }
  return groups;
}

template <class Number>
Literal convolve(const Instruction& instruction, const Literal& input, const Literal& kernel) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Shape& shape = instruction.shape;
  Literal result = make_zeros(shape);
  const Index input_strides = row_major_strides(input.shape.dimensions);
  const Index strides = row_major_strides(shape.dimensions);
  const std::int64_t depth = kernel.shape.dimensions[roles.kernel_input_feature];
  const auto groups = groups_of<Number>(instruction, input, kernel);
  const std::int64_t features = shape.dimensions[roles.output_feature] / std::int64_t(groups.size());
  const std::vector<Number> inputs = numbers_of<Number>(input);
  std::vector<Number> sums(static_cast<std::size_t>(features));
  for_each_index(sizes_of(shape, roles.output_spatial), [&](const Index& place) {
    const std::vector<Tap> taps = valid_taps(instruction, input, kernel, place);
    for (std::int64_t b = 0; b < shape.dimensions[roles.output_batch]; ++b) {
      for (const ConvolutionGroup<Number>& group : groups) {
        const Number* x = inputs.data() + b * input_strides[roles.input_batch] + group.input;
        std::ranges::fill(sums, Number(0));
        for (const Tap& tap : taps) {
          add_products(sums, x + tap.input, input_strides[roles.input_feature],
                       group.weights.data() + tap.kernel * depth * features, depth);
        }
        const std::int64_t base =
            offset_of(place, roles.output_spatial, strides) + b * strides[roles.output_batch] + group.output;
        for (std::int64_t f = 0; f < features; ++f) {
          store(result, base + f * strides[roles.output_feature], sums[std::size_t(f)]);
        }
      }
    }
  });
  return result;
}

template <class Number>
Literal multiply(const Instruction& instruction, const Literal& lhs, const Literal& rhs) {
  const DotDimensions& roles = instruction.dot;
  Literal result = make_zeros(instruction.shape);
  const auto lhs_batch = offsets_over(lhs.shape, roles.lhs_batch);
  const auto rhs_batch = offsets_over(rhs.shape, roles.rhs_batch);
  const auto lhs_inner = offsets_over(lhs.shape, roles.lhs_contracting);
  const auto rhs_inner = offsets_over(rhs.shape, roles.rhs_contracting);
  const auto rows = offsets_over(lhs.shape, free_dimensions(lhs.shape.rank(), roles.lhs_batch, roles.lhs_contracting));
  const auto columns =
      offsets_over(rhs.shape, free_dimensions(rhs.shape.rank(), roles.rhs_batch, roles.rhs_contracting));
  const std::int64_t depth = std::int64_t(lhs_inner.size());
  const std::vector<Number> left = numbers_of<Number>(lhs), right = numbers_of<Number>(rhs);
  std::vector<Number> sums(columns.size());
  std::int64_t position = 0;
  for (std::size_t b = 0; b < lhs_batch.size(); ++b) {
    const std::vector<Number> x = gathered(left, lhs_batch[b], rows, lhs_inner);
    const std::vector<Number> y = gathered(right, rhs_batch[b], rhs_inner, columns);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::ranges::fill(sums, Number(0));
      add_products(sums, x.data() + std::int64_t(row) * depth, 1, y.data(), depth);
      for (const Number sum : sums) store(result, position++, sum);
    }
  }
  return result;
}

/// Returns whether the products are of integers; otherwise integer operands are converted to real numbers.
bool multiplies_integers(const Instruction& instruction) { return is_integer(instruction.shape.element_type); }

/// Returns the operand, with 64-bit integers converted to real numbers.
Literal as_real(const Literal& literal) {
  if (!is_wide(literal.shape.element_type)) return literal;
  Literal real = make_zeros(make_shape(ElementType::f64, literal.shape.dimensions));
  for (std::size_t i = 0; i < real.values.size(); ++i) {
    real.values[i] = convert_element(literal.shape.element_type, ElementType::f64, {0, literal.integers[i]}).number;
  }
  return real;
}

/// A product of complex numbers as four products of their parts.
template <class Product>
Literal product_of_parts(const Instruction& instruction, const Literal& lhs, const Literal& rhs, Product product) {
  Instruction part = instruction;
  part.shape = make_shape(ElementType::f64, instruction.shape.dimensions);
  const Literal a = complex::real_parts(lhs), b = complex::imaginary_parts(lhs);
  const Literal c = complex::real_parts(rhs), d = complex::imaginary_parts(rhs);
  Literal real = product(part, a, c), imaginary = product(part, a, d);
  const Literal bd = product(part, b, d), bc = product(part, b, c);
  for (std::size_t i = 0; i < real.values.size(); ++i) {
    real.values[i] -= bd.values[i];
    imaginary.values[i] += bc.values[i];
  }
  return complex::joined(instruction.shape, real, imaginary);
}

/// The group of each position along the ragged dimension; -1 if it is in none.
class GroupTable {
 public:
  GroupTable(const Literal& sizes, const Shape& lhs, const std::vector<int>& batch, std::int64_t length)
      : by_batch_(sizes.shape.rank() > 1), length_(length) {
    const Index batch_sizes = sizes_of(lhs, batch);
    Index expected = batch_sizes;
    expected.push_back(sizes.shape.dimensions.back());
    if (by_batch_ && sizes.shape.dimensions != expected) {
      throw std::logic_error("group sizes that vary outside the batch cannot be evaluated");
    }
    strides_ = row_major_strides(batch_sizes);
    const std::int64_t groups = expected.back(), count = sizes.shape.element_count();
    groups_.assign(std::size_t(groups == 0 ? length : count / groups * length), -1);
    std::int64_t end = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % groups == 0) end = i / groups * length;
      const std::int64_t limit = (i / groups + 1) * length;
      std::int64_t size = integer_of(sizes.shape.element_type, element_of(sizes, i));
      if (size < 0 || size > limit - end) throw std::logic_error("the groups are larger than the ragged dimension");
      for (; size > 0; --size) groups_[std::size_t(end++)] = i % groups;
    }
  }

  /// Dimension batch[i] of the array with this index is the batch's dimension i.
  std::int64_t of(const Index& index, const std::vector<int>& batch, std::int64_t position) const {
    std::int64_t row = 0;
    if (by_batch_) {
      for (std::size_t i = 0; i < batch.size(); ++i) row += index[std::size_t(batch[i])] * strides_[i];
    }
    return groups_[std::size_t(row * length_ + position)];
  }

 private:
  bool by_batch_;
  std::int64_t length_;
  Index strides_;
  std::vector<std::int64_t> groups_;
};

/// The array with 0 where keep(index) does not hold.
template <class Keep>
Literal masked(const Literal& array, Keep&& keep) {
  Literal result = make_zeros(array.shape);
  std::int64_t position = 0;
  for_each_index(array.shape.dimensions, [&](const Index& index) {
    if (keep(index)) copy_element(result, position, array, position);
    ++position;
  });
  return result;
}

std::vector<int> first_dimensions(std::size_t count) {
  std::vector<int> dimensions(count);
  for (std::size_t i = 0; i < count; ++i) dimensions[i] = int(i);
  return dimensions;
}

/// The rows of every group are multiplied by the matrix of the group.
Literal product_by_rows(const Instruction& instruction, const Literal& lhs, const Literal& rhs, std::int64_t groups,
                        const GroupTable& table) {
  const Instruction product = rules::without_groups(instruction);
  const std::vector<int>& batch = instruction.dot->lhs_batch;
  const std::vector<int> rows = free_dimensions(lhs.shape.rank(), batch, instruction.dot->lhs_contracting);
  const std::vector<int> result_batch = first_dimensions(batch.size());
  const std::size_t along =
      batch.size() + std::size_t(std::ranges::find(rows, instruction.dimensions[0]) - rows.begin());
  Index steps = row_major_strides(rhs.shape.dimensions);
  const std::int64_t group_step = steps[std::size_t(instruction.dimensions[1])];
  Shape matrix = rhs.shape;
  steps.erase(steps.begin() + instruction.dimensions[1]);
  matrix.dimensions.erase(matrix.dimensions.begin() + instruction.dimensions[1]);
  Literal result = make_zeros(instruction.shape);
  for (std::int64_t group = 0; group < groups; ++group) {
    const Literal all = evaluate_dot(product, lhs, gather_affine(matrix, rhs, group * group_step, steps));
    std::int64_t position = 0;
    for_each_index(result.shape.dimensions, [&](const Index& index) {
      if (table.of(index, result_batch, index[along]) == group) copy_element(result, position, all, position);
      ++position;
    });
  }
  return result;
}

/// Every group of the contracted dimension gives a product.
Literal products_by_group(const Instruction& instruction, const Literal& lhs, const Literal& rhs, std::int64_t groups,
                          const GroupTable& table) {
  const DotDimensions& roles = instruction.dot;
  const auto pair =
      std::ranges::find(roles.lhs_contracting, int(instruction.dimensions[0])) - roles.lhs_contracting.begin();
  const auto left = std::size_t(roles.lhs_contracting[std::size_t(pair)]);
  const auto right = std::size_t(roles.rhs_contracting[std::size_t(pair)]);
  Instruction product = instruction;
  product.shape.dimensions.erase(product.shape.dimensions.begin());
  const std::int64_t count = product.shape.element_count();
  Literal result = make_zeros(instruction.shape);
  for (std::int64_t group = 0; group < groups; ++group) {
    const Literal part = evaluate_dot(
        product, masked(lhs, [&](const Index& i) { return table.of(i, roles.lhs_batch, i[left]) == group; }),
        masked(rhs, [&](const Index& i) { return table.of(i, roles.rhs_batch, i[right]) == group; }));
    for (std::int64_t i = 0; i < count; ++i) copy_element(result, group * count + i, part, i);
  }
  return result;
}

}  // namespace

Literal evaluate_convolution(const Instruction& instruction, const Literal& input, const Literal& kernel) {
  if (is_complex(instruction.shape.element_type)) {
    return product_of_parts(instruction, input, kernel, convolve<double>);
  }
  if (multiplies_integers(instruction)) return convolve<std::uint64_t>(instruction, input, kernel);
  return convolve<double>(instruction, as_real(input), as_real(kernel));
}

Literal evaluate_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs) {
  if (is_complex(instruction.shape.element_type)) {
    return product_of_parts(instruction, lhs, rhs, multiply<double>);
  }
  if (multiplies_integers(instruction)) return multiply<std::uint64_t>(instruction, lhs, rhs);
  return multiply<double>(instruction, as_real(lhs), as_real(rhs));
}

Literal evaluate_ragged_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs,
                            const Literal& sizes) {
  const DotDimensions& roles = instruction.dot;
  const auto ragged = int(instruction.dimensions[0]);
  const std::int64_t groups = sizes.shape.dimensions.back();
  const auto in_batch = std::ranges::find(roles.lhs_batch, ragged);
  const bool is_batch = in_batch != roles.lhs_batch.end();
  const GroupTable table(sizes, lhs.shape, is_batch ? std::vector<int>() : roles.lhs_batch,
                         lhs.shape.dimensions[std::size_t(ragged)]);
  if (is_batch) {
    const auto along = std::size_t(in_batch - roles.lhs_batch.begin());
    return masked(evaluate_dot(instruction, lhs, rhs),
                  [&](const Index& index) { return table.of(index, {}, index[along]) >= 0; });
  }
  if (instruction.dimensions.size() == 2) return product_by_rows(instruction, lhs, rhs, groups, table);
  return products_by_group(instruction, lhs, rhs, groups, table);
}

}  // namespace podsim::hlo::eval
