// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/bit_pattern.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "hlo/eval/index_space.h"
#include "hlo/float_format.h"

namespace podsim::hlo::eval {

namespace {

int width_of(ElementType type) { return element_types()[std::size_t(type)].bits; }

std::uint64_t low_bits(std::uint64_t value, int count) {
  return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

/// Reads the elements as one sequence of bits, `width` at a time.
class BitReader {
 public:
  BitReader(const Literal& literal, const std::vector<std::int64_t>& order)
      : literal_(literal), order_(order), width_(width_of(literal.shape.element_type)) {}

  std::uint64_t next(int width) {
    if (width < width_) {
      if (left_ == 0) {
        held_ = next(width_);
        left_ = width_;
      }
      const std::uint64_t part = low_bits(held_, width);
      held_ >>= width;
      left_ -= width;
      return part;
    }
    std::uint64_t value = 0;
    for (int at = 0; at < width; at += width_) {
      value |= bits_of(literal_.shape.element_type, element_of(literal_, order_[next_++])) << at;
    }
    return value;
  }

 private:
  const Literal& literal_;
  const std::vector<std::int64_t>& order_;  ///< positions of the elements in the literal
  int width_;
  std::size_t next_ = 0;
  std::uint64_t held_ = 0;
  int left_ = 0;
};

/// Positions of a shape's elements in a literal, in the order of the layout.
std::vector<std::int64_t> order_in_memory(const Shape& shape) {
  const std::vector<std::int64_t> strides = row_major_strides(shape.dimensions);
  std::vector<std::int64_t> sizes, steps;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    sizes.push_back(shape.dimensions[std::size_t(shape.minor_dimension(i))]);
    steps.push_back(strides[std::size_t(shape.minor_dimension(i))]);
  }
  std::vector<std::int64_t> order;
  for_each_index(sizes, [&](const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * steps[i];
    order.push_back(place);
  });
  return order;
}

/// Complex numbers as twice as many parts.
Shape shape_of_parts(const Shape& shape) {
  return make_shape(shape.element_type == ElementType::c64 ? ElementType::f32 : ElementType::f64,
                    {2 * shape.element_count()});
}
std::vector<std::int64_t> order_of_parts(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t place : order) parts.insert(parts.end(), {2 * place, 2 * place + 1});
  return parts;
}

Literal reinterpret(const Shape& shape, const Literal& operand, const std::vector<std::int64_t>& from,
                    const std::vector<std::int64_t>& to) {
  if (is_complex(operand.shape.element_type)) {
    return reinterpret(shape, {shape_of_parts(operand.shape), operand.values, {}}, order_of_parts(from), to);
  }
  if (is_complex(shape.element_type)) {
    return {shape, reinterpret(shape_of_parts(shape), operand, from, order_of_parts(to)).values, {}};
  }
  Literal result = make_zeros(shape);
  const int width = width_of(shape.element_type), own = width_of(operand.shape.element_type);
  if (width == 0 || own == 0 || std::int64_t(to.size()) * width != std::int64_t(from.size()) * own ||
      std::max(width, own) % std::min(width, own) != 0) {
    throw std::logic_error("the operand and the result have different numbers of bits");
  }
  BitReader reader(operand, from);
  for (const std::int64_t place : to) {
    set_element(result, place, element_from_bits(shape.element_type, reader.next(width)));
  }
  return result;
}

std::vector<std::int64_t> row_major_order(const Shape& shape) {
  std::vector<std::int64_t> order(std::size_t(shape.element_count()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int64_t(i);
  return order;
}

}  // namespace

std::uint64_t bits_of(ElementType type, Element element) {
  const int width = width_of(type);
  if (is_integer(type) || type == ElementType::pred) {
    return low_bits(std::uint64_t(integer_of(type, element)), width);
  }
  switch (type) {
    case ElementType::f32:
      return std::bit_cast<std::uint32_t>(float(element.number));
    case ElementType::f64:
      return std::bit_cast<std::uint64_t>(element.number);
    case ElementType::f8e8m0fnu:
      return std::isnan(element.number) ? 0xff : std::uint64_t(std::ilogb(element.number) + 127);
    default:
      break;
  }
  const std::optional<FloatFormat> format = float_format(type);
  if (!format) throw std::logic_error(to_string(type) + " values have no bits to look at");
  return encode(*format, width, element.number);
}

Element element_from_bits(ElementType type, std::uint64_t bits) {
  const int width = width_of(type);
  if (is_integer(type) || type == ElementType::pred) return integer_element(type, std::int64_t(bits));
  switch (type) {
    case ElementType::f32:
      return {double(std::bit_cast<float>(std::uint32_t(bits))), 0};
    case ElementType::f64:
      return {std::bit_cast<double>(bits), 0};
    case ElementType::f8e8m0fnu:
      return {bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(bits) - 127), 0};
    default:
      break;
  }
  const std::optional<FloatFormat> format = float_format(type);
  if (!format) throw std::logic_error(to_string(type) + " values have no bits to look at");
  return {decode(*format, width, bits), 0};
}

Literal evaluate_bitcast_convert(const Instruction& instruction, const Literal& operand) {
  return reinterpret(instruction.shape, operand, row_major_order(operand.shape), row_major_order(instruction.shape));
}

Literal evaluate_bitcast(const Instruction& instruction, const Literal& operand, const Shape& layout) {
  const Shape& shape = instruction.shape;
  if (byte_width(shape.element_type) == 0 || byte_width(layout.element_type) == 0) {
    throw std::logic_error("a bitcast of something that is no array cannot be evaluated");
  }
  const std::vector<std::int64_t> from = order_in_memory(layout), to = order_in_memory(shape);
  if (shape.element_type != operand.shape.element_type) return reinterpret(shape, operand, from, to);
  if (from.size() != to.size()) throw std::logic_error("the operand and the result have different numbers of elements");
  Literal result = make_zeros(shape);
  for (std::size_t i = 0; i < to.size(); ++i) copy_element(result, to[i], operand, from[i]);
  return result;
}

}  // namespace podsim::hlo::eval
