// SPDX-License-Identifier: Apache-2.0
#include "tests/hlo/spmd/program_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "tests/hlo/element_types.h"

namespace podsim::hlo::spmd::testing {

namespace {

using hlo::testing::f32;

}  // namespace

void ProgramWriter::write(const ProgramStep& step) {
  Digits digits(step.detail);
  if (values_.empty()) return push(parameter(digits), step.split);
  const hlo::InstructionId a = values_[step.a % values_.size()], b = values_[step.b % values_.size()];
  const int before = b_.size();
  const hlo::InstructionId result = op(step.kind, a, b, digits);
  for (hlo::InstructionId id = before; id < b_.size(); ++id)
    set_split(id, id == result ? step.split : helper_cut(step, id));
  // Neither empty nor large.
  const std::int64_t elements = b_.shape(result).element_count();
  if (elements > 0 && elements <= 2000) values_.push_back(result);
}

void ProgramWriter::set_split(hlo::InstructionId id, std::uint32_t number) {
  split_.resize(std::max(split_.size(), std::size_t(id) + 1), 0);
  split_[std::size_t(id)] = number;
}

hlo::InstructionId ProgramWriter::parameter_of(Sizes sizes, hlo::ElementType type) {
  return b_.parameter(hlo::make_shape(type, std::move(sizes)), fmt::format("p{}", b_.size()));
}

hlo::InstructionId ProgramWriter::parameter(Digits& digits) {
  Sizes sizes(std::size_t(digits.next(4)));
  for (std::int64_t& size : sizes) size = 1 + digits.next(9);
  return parameter_of(std::move(sizes));
}

hlo::InstructionId ProgramWriter::clamped(hlo::InstructionId x) {
  return b_.minimum(b_.maximum(x, b_.full_like(x, -16)), b_.full_like(x, 16));
}

hlo::InstructionId ProgramWriter::alike(hlo::InstructionId x, const Sizes& wanted) {
  return sizes(x) == wanted ? x : parameter_of(wanted);
}

hlo::InstructionId ProgramWriter::op(std::uint8_t kind, hlo::InstructionId a, hlo::InstructionId b, Digits& digits) {
  switch (kind % op_kinds) {
    case 0:
      return parameter(digits);
    case 1:
      return digits.next(2) == 0 ? b_.negate(a) : b_.abs(a);
    case 2:
      return clamped(b_.add(a, alike(b, sizes(a))));
    case 3:
      return clamped(b_.multiply(a, alike(b, sizes(a))));
    case 4:
      return select(a, alike(b, sizes(a)));
    case 5:
    case 6:
      return dot(a, b, digits);
    case 7:
    case 8:
      return reduce(a, digits);
    case 9:
      return broadcast(a, digits);
    case 10:
      return transpose(a, digits);
    case 11:
      return reshape(a, digits);
    case 12:
      return concatenate(a, b, digits);
    case 13:
      return slice(a, digits);
    case 14:
      return pad(a, digits);
    case 15:
      return b_.reverse(a, some_dimensions(a, digits));
    case 16:
      return counted(a, digits);
    case 17:
      return gather(a, digits);
    case 18:
      return scatter(a, digits);
    case 19:
      return dynamic_slice(a, digits);
    case 20:
      return convolution(digits);
    case 21:
      return reduce_window(a, digits);
    case 22:
      return sort(a, digits);
    case 23:
      return loop(a, digits);
    case 24:
      return branch(a, digits);
    case 25:
      return barrier(a, b);
    case 26:
    case 27:
      return sum_of_products(a, digits);
    case 28:
      return largest(a, digits);
    case 29:
      return any(a, b, digits);
    default:
      return grouped_convolution(digits);
  }
}

std::vector<std::int64_t> ProgramWriter::some_dimensions(hlo::InstructionId x, Digits& digits) {
  std::vector<std::int64_t> dimensions;
  for (int d = 0; d < rank(x); ++d) {
    if (digits.next(2) == 0) dimensions.push_back(d);
  }
  return dimensions;
}

hlo::InstructionId ProgramWriter::sum_of_products(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  const auto along = std::size_t(digits.next(rank(a)));
  const std::int64_t contracted = sizes(a)[along], columns = 1 + digits.next(6);
  hlo::InstructionId sum = -1;
  for (int term = 0; term < 3; ++term) {
    const hlo::DotDimensions roles{{}, {}, {int(along)}, {0}};
    hlo::InstructionId product = b_.dot(a, parameter_of({contracted, columns}), roles);
    for (int op = int(digits.next(3)); op > 0; --op) product = linear(product, digits);
    sum = sum < 0 ? product : digits.next(2) == 0 ? b_.add(sum, product) : b_.subtract(product, sum);
  }
  return clamped(sum);
}

hlo::InstructionId ProgramWriter::linear(hlo::InstructionId x, Digits& digits) {
  switch (digits.next(4)) {
    case 0:
      return b_.negate(x);
    case 1:
      return b_.multiply(b_.full_like(x, 2), x);
    case 2:
      return b_.reshape(b_.reshape(x, {b_.shape(x).element_count()}), sizes(x));
    default: {
      std::vector<std::int64_t> order;
      for (int d = rank(x); d-- > 0;) order.push_back(d);
      return b_.transpose(b_.transpose(x, order), order);
    }
  }
}

hlo::InstructionId ProgramWriter::largest(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::topk;
  instruction.operands = {a};
  instruction.index = 1 + digits.next(sizes(a).back());
  return b_.get_tuple_element(b_.add(std::move(instruction)), 0);
}

hlo::InstructionId ProgramWriter::any(hlo::InstructionId a, hlo::InstructionId b, Digits& digits) {
  const hlo::InstructionId holds = b_.compare(a, alike(b, sizes(a)), hlo::ComparisonDirection::le);
  const bool is_any = digits.next(2) == 0;
  const hlo::InstructionId initial = b_.constant(hlo::ElementType::pred, is_any ? 0 : 1);
  const hlo::ComputationId combiner =
      b_.combiner(is_any ? hlo::Opcode::logical_or : hlo::Opcode::logical_and, hlo::ElementType::pred);
  return b_.convert(b_.reduce(holds, initial, some_dimensions(a, digits), combiner), f32);
}

hlo::InstructionId ProgramWriter::select(hlo::InstructionId a, hlo::InstructionId b) {
  return b_.select(b_.compare(a, b, hlo::ComparisonDirection::lt), a, b_.negate(b));
}

hlo::InstructionId ProgramWriter::dot(hlo::InstructionId a, hlo::InstructionId b, Digits& digits) {
  if (rank(a) == 0) return clamped(b_.multiply(a, a));
  hlo::DotDimensions roles;
  const int contracted = int(digits.next(rank(a)));
  const auto find = [&](std::int64_t size, int without) {
    for (int d = 0; d < rank(b); ++d) {
      if (d != without && sizes(b)[std::size_t(d)] == size) return d;
    }
    return -1;
  };
  int other = find(sizes(a)[std::size_t(contracted)], -1);
  if (other < 0) {
    b = parameter_of({1 + digits.next(6), sizes(a)[std::size_t(contracted)]});
    other = 1;
  }
  roles.lhs_contracting = {contracted};
  roles.rhs_contracting = {other};
  for (int d = 0; d < rank(a); ++d) {
    if (d == contracted || digits.next(2) == 0) continue;
    const int batch = find(sizes(a)[std::size_t(d)], other);
    if (batch < 0) continue;
    roles.lhs_batch = {d};
    roles.rhs_batch = {batch};
    break;
  }
  return clamped(b_.dot(a, b, roles));
}

hlo::InstructionId ProgramWriter::reduce(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  const std::vector<std::int64_t> dimensions = some_dimensions(a, digits);
  if (digits.next(2) == 0) return clamped(b_.reduce_max(a, dimensions));
  const hlo::InstructionId initial = b_.constant(f32, double(digits.next(3)));
  return clamped(b_.reduce(a, initial, dimensions, b_.combiner(hlo::Opcode::add, f32)));
}

hlo::InstructionId ProgramWriter::broadcast(hlo::InstructionId a, Digits& digits) {
  if (rank(a) > 2) return b_.negate(a);
  Sizes result = sizes(a);
  std::vector<std::int64_t> dimensions;
  const auto at = digits.next(rank(a) + 1);
  result.insert(result.begin() + at, 1 + digits.next(6));
  for (int d = 0; d < rank(a); ++d) dimensions.push_back(d < at ? d : d + 1);
  return b_.broadcast(a, result, dimensions);
}

hlo::InstructionId ProgramWriter::transpose(hlo::InstructionId a, Digits& digits) {
  std::vector<std::int64_t> order;
  for (int d = 0; d < rank(a); ++d) order.insert(order.begin() + digits.next(d + 1), d);
  return b_.transpose(a, order);
}

hlo::InstructionId ProgramWriter::reshape(hlo::InstructionId a, Digits& digits) {
  Sizes result = sizes(a);
  if (result.empty()) return b_.reshape(a, {1});
  const auto at = result.begin() + digits.next(rank(a));
  if (digits.next(2) == 0 && at + 1 != result.end()) {
    *at *= at[1];
    result.erase(at + 1);
  } else if (result.size() < 4) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t n = 1; n <= *at; ++n) {
      if (*at % n == 0) divisors.push_back(n);
    }
    const std::int64_t outer = divisors[std::size_t(digits.next(std::int64_t(divisors.size())))];
    *at /= outer;
    result.insert(at, outer);
  }
  return b_.reshape(a, result);
}

hlo::InstructionId ProgramWriter::concatenate(hlo::InstructionId a, hlo::InstructionId b, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  const auto along = digits.next(rank(a));
  Sizes other = sizes(a);
  if (rank(b) == rank(a)) other[std::size_t(along)] = sizes(b)[std::size_t(along)];
  return b_.concatenate({a, alike(b, other)}, along);
}

hlo::InstructionId ProgramWriter::slice(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  std::vector<hlo::SliceDimension> kept;
  for (const std::int64_t size : sizes(a)) {
    hlo::SliceDimension dimension{0, size, 1};
    if (digits.next(2) == 0) {
      dimension.start = digits.next(size);
      dimension.limit = dimension.start + 1 + digits.next(size - dimension.start);
      dimension.stride = 1 + digits.next(3);
    }
    kept.push_back(dimension);
  }
  return b_.slice(a, kept);
}

hlo::InstructionId ProgramWriter::pad(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  std::vector<hlo::PadDimension> padding;
  for (const std::int64_t size : sizes(a)) {
    hlo::PadDimension dimension;
    if (digits.next(2) == 0) {
      dimension.low = digits.next(4) - 1;
      dimension.interior = digits.next(3);
      dimension.high = digits.next(4) - 1;
      if (dimension.low + dimension.high + size + (size - 1) * dimension.interior < 1) dimension = {};
    }
    padding.push_back(dimension);
  }
  return b_.pad(a, b_.constant(f32, double(digits.next(3))), padding);
}

hlo::InstructionId ProgramWriter::counted(hlo::InstructionId a, Digits& digits) {
  if (rank(a) == 0) return b_.negate(a);
  return clamped(b_.add(a, b_.iota(b_.shape(a), digits.next(rank(a)))));
}

}  // namespace podsim::hlo::spmd::testing
