// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/rebuilt_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sw/profile/body_builder.h"
#include "sw/profile/not_modelled.h"

namespace podsim::sw::profile {
namespace {

/// Each operation is an instruction of the rebuilt body. A sum over a vocabulary whose
/// array the text does not have takes 120,000.
constexpr std::int64_t most_operations = 1 << 18;

/// A fusion without operands that makes numbers from iotas takes fewer operations than a dropout mask: compare the
/// random number, select, scale.
constexpr double least_mask_operations = 2.5;

/// FLOPs per element of a result that is only moved, and of one that may also be the table of a scatter.
constexpr double most_moved = 1, most_moved_in_place = 0.5;

std::int64_t elements(const ir::Shape& shape) { return shape.element_count(); }

const ir::Shape& largest(const std::vector<ir::Shape>& shapes) {
  return *std::ranges::max_element(shapes, {}, elements);
}

bool is_index(const ir::Shape& shape) {
  return ir::is_integer(shape.element_type) && ir::byte_width(shape.element_type) == 4;
}

/// Number of random numbers that a fusion without operands makes: a word of 32 packed bits takes four operations per
/// bit except one; any other element is one number.
std::int64_t random_numbers(const FusionFacts& facts) {
  const ir::Shape& result = largest(facts.results);
  const bool bits = result.element_type == ir::ElementType::u32 || result.element_type == ir::ElementType::pred;
  const double least = bits ? 0.9 : least_mask_operations;
  if (!facts.operands.empty() || facts.flops < least * double(elements(result))) return 0;
  const double per_word = (facts.flops / double(elements(result)) + 1) / 4;
  const std::int64_t packed = result.element_type == ir::ElementType::u32 ? std::llround(per_word) : 1;
  return elements(result) * std::clamp<std::int64_t>(packed, 1, 32);
}

class LoopRebuilder {
 public:
  explicit LoopRebuilder(const FusionFacts& facts)
      : arrays_(accessed_arrays(facts)), flops_(facts.flops), random_numbers_(random_numbers(facts)) {}

  ir::Module run() {
    const ir::Shape& main = largest(arrays_.results);
    std::vector<ir::InstructionId> read;
    ir::Shape reduced = main;
    for (const ir::Shape& operand : arrays_.operands) {
      read.push_back(body_.parameter(operand));
      if (elements(operand) > elements(reduced) && elements(operand) % elements(main) == 0) reduced = operand;
    }
    const bool reduces = elements(reduced) > elements(main) && flops_ >= 0.9 * double(elements(reduced));
    const ir::Shape work = reduces ? reduced : main;
    ir::InstructionId value = start(read, work);
    std::vector<ir::InstructionId> results;
    for (const ir::Shape& result : arrays_.results) {
      if (elements(result) < elements(work)) {
        results.push_back(smaller(value, result));
      } else {
        results.push_back(results.empty() ? in_shape(value, result) : body_.elementwise(value, result, 1));
      }
    }
    return std::move(body_).fusion(results);
  }

 private:
  /// A reduction to `result`. If dimensions of the result are not those of the array, a window of it: the work has been
  /// counted, and only the elements of the result remain.
  ir::InstructionId smaller(ir::InstructionId value, const ir::Shape& result) {
    const ir::Shape& whole = body_.shape(value);
    if (is_sum_of(result, whole)) return body_.reduce(value, result);
    ir::Instruction window;
    window.opcode = ir::Opcode::slice;
    window.operands = {value};
    window.shape = result;
    return body_.add(std::move(window));
  }

  ir::InstructionId start(const std::vector<ir::InstructionId>& read, const ir::Shape& work) {
    std::int64_t operations = std::llround(flops_ / double(elements(work)));
    if (operations > most_operations) {
      throw NotModelled(fmt::format("there are more than {} FLOPs per element of every array", most_operations));
    }
    std::int64_t reductions = 0;
    for (const ir::Shape& result : arrays_.results) reductions += elements(result) < elements(work) ? 1 : 0;
    operations = std::max<std::int64_t>(0, operations - reductions);
    if (read.empty()) return generate(work, operations);
    std::vector<ir::InstructionId> others;
    for (std::size_t i = 1; i < read.size(); ++i) others.push_back(body_.broadcast(read[i], work));
    return body_.elementwise(body_.broadcast(read.front(), work), work,
                             std::max(operations, std::int64_t(others.size())), others);
  }

  ir::InstructionId generate(const ir::Shape& work, std::int64_t operations) {
    ir::Instruction source;
    source.opcode = ir::Opcode::iota;
    source.shape = work;
    if (random_numbers_ > 0) {
      // Packed bits are compared directly, single ones as numbers between 0 and 1.
      const bool packed = random_numbers_ > elements(work);
      const std::int64_t row = work.rank() == 0 ? 1 : work.dimensions.back();
      source.opcode = packed ? ir::Opcode::rng_bit_generator : ir::Opcode::rng;
      source.shape = ir::make_shape(packed ? ir::ElementType::u32 : ir::ElementType::f32, {random_numbers_ / row, row});
    }
    return body_.elementwise(body_.add(std::move(source)), work, std::max<std::int64_t>(1, operations));
  }

  ir::InstructionId in_shape(ir::InstructionId value, const ir::Shape& result) {
    if (body_.shape(value) == result) return value;
    return body_.elementwise(value, result, 1);
  }

  AccessedArrays arrays_;
  double flops_;
  std::int64_t random_numbers_;
  BodyBuilder body_;
};

/// Operand numbers of a move of rows: the table, the indices that select rows, and the rows of an update.
struct RowMove {
  int table = -1, indices = -1, rows = -1;
};

class RowRebuilder {
 public:
  explicit RowRebuilder(const FusionFacts& facts) : facts_(facts) {}

  std::optional<ir::Module> run() {
    if (facts_.results.size() != 1 || facts_.results.front().rank() < 1) return std::nullopt;
    const ir::Shape& result = facts_.results.front();
    if (std::optional<ir::Module> module = gather(result)) return module;
    indices_ = find([&](const ir::Shape& shape) { return is_index(shape) && shape.rank() >= 1; });
    if (indices_ < 0) return std::nullopt;
    const int other = find([&](const ir::Shape& shape) {
      return is_array(shape) && elements(shape) != elements(result) && same_row(shape, result);
    });
    const int updates =
        other >= 0 ? other : find([&](const ir::Shape& shape) { return is_array(shape) && same_row(shape, result); });
    if (updates < 0) return std::nullopt;
    return scatter(updates, result);
  }

 private:
  template <class Test>
  int find(Test test) const {
    auto found = std::ranges::find_if(facts_.operands, test);
    return found == facts_.operands.end() ? -1 : int(found - facts_.operands.begin());
  }

  static bool is_array(const ir::Shape& shape) { return !is_index(shape) && shape.rank() >= 1; }

  /// True if all dimensions except the first agree.
  static bool same_row(const ir::Shape& a, const ir::Shape& b) {
    return a.rank() == b.rank() && std::equal(a.dimensions.begin() + 1, a.dimensions.end(), b.dimensions.begin() + 1);
  }

  static ir::GatherDimensions row_dimensions(int rank) {
    ir::GatherDimensions dimensions;
    for (int d = 1; d < rank; ++d) dimensions.offset.push_back(d);
    dimensions.collapsed = {0};
    dimensions.index_map = {0};
    dimensions.index_vector = 1;
    return dimensions;
  }

  ir::InstructionId index_array(std::vector<std::int64_t> sizes) {
    const ir::InstructionId all = body_.parameter(facts_.operands[std::size_t(indices_)]);
    ir::Instruction slice;
    slice.opcode = ir::Opcode::slice;
    slice.operands = {all};
    for (std::int64_t size : sizes) slice.slice.push_back({0, size, 1});
    slice.shape = ir::make_shape(ir::ElementType::s32, std::move(sizes));
    return body_.add(std::move(slice));
  }

  /// A gather has two operands, the table and then the indices, and no operations on what it finds. A scatter of as
  /// many rows as the table has adds each.
  std::optional<ir::Module> gather(const ir::Shape& result) {
    if (facts_.operands.size() != 2 || facts_.flops >= most_moved * double(elements(result))) return std::nullopt;
    indices_ = is_index(facts_.operands[1]) ? 1 : 0;
    const ir::Shape &table = facts_.operands[std::size_t(1 - indices_)],
                    &indices = facts_.operands[std::size_t(indices_)];
    if (!is_index(indices) || indices.rank() == 0 || table.rank() == 0) return std::nullopt;
    const bool updates = facts_.flops >= most_moved_in_place * double(elements(result));
    if (same_row(table, result) && (elements(table) != elements(result) || !updates)) return rows(table, result);
    // An element has an index for each dimension of the table.
    if (result.rank() == 1 && elements(indices) >= elements(result) * table.rank()) return single(table, result);
    return std::nullopt;
  }

  ir::Module rows(const ir::Shape& table, const ir::Shape& result) {
    const ir::InstructionId source = body_.parameter(table);
    ir::Instruction gather;
    gather.opcode = ir::Opcode::gather;
    gather.shape = result;
    gather.operands = {source, index_array({result.dimensions.front()})};
    gather.gather = row_dimensions(result.rank());
    gather.slice_sizes = table.dimensions;
    gather.slice_sizes.front() = 1;
    return std::move(body_).fusion({body_.add(std::move(gather))});
  }

  ir::Module single(const ir::Shape& table, const ir::Shape& result) {
    const ir::InstructionId source = body_.parameter(table);
    ir::Instruction gather;
    gather.opcode = ir::Opcode::gather;
    gather.shape = result;
    gather.operands = {source, index_array({elements(result), table.rank()})};
    ir::GatherDimensions& roles = gather.gather.edit();
    roles.index_vector = 1;
    for (int d = 0; d < table.rank(); ++d) {
      roles.collapsed.push_back(d);
      roles.index_map.push_back(d);
    }
    gather.slice_sizes.assign(table.dimensions.size(), 1);
    return std::move(body_).fusion({body_.add(std::move(gather))});
  }

  std::optional<ir::Module> scatter(int updates, const ir::Shape& result) {
    const ir::Shape& rows = facts_.operands[std::size_t(updates)];
    const int table = find([&](const ir::Shape& shape) {
      return &shape != &rows && shape.element_type == result.element_type && shape.dimensions == result.dimensions;
    });
    ir::InstructionId into = table >= 0 ? body_.parameter(facts_.operands[std::size_t(table)])
                                        : body_.parameter(ir::make_shape(result.element_type, {}));
    into = body_.broadcast(into, result);
    ir::Instruction scatter;
    scatter.opcode = ir::Opcode::scatter;
    scatter.shape = result;
    scatter.operands = {into, index_array({rows.dimensions.front()})};
    scatter.operands.push_back(body_.parameter(rows));
    scatter.gather = row_dimensions(result.rank());
    return std::move(body_).fusion({body_.add(std::move(scatter))});
  }

  const FusionFacts& facts_;
  BodyBuilder body_;
  int indices_ = -1;
};

std::int64_t common_row(const ir::Shape& a, const ir::Shape& b) {
  std::int64_t row = 1;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t size = a.dimensions[std::size_t(a.rank() - i)];
    if (size != b.dimensions[std::size_t(b.rank() - i)]) break;
    row *= size;
  }
  return row;
}

ir::Shape as_rows(const ir::Shape& shape, std::int64_t row) {
  return ir::make_shape(shape.element_type, {elements(shape) / row, row});
}

/// Returns the facts with tables, slices and results of more dimensions flattened to rows. A row is the largest group
/// of last dimensions that the result shares with an operand. Returns std::nullopt if no operand shares any.
std::optional<FusionFacts> with_flat_rows(const FusionFacts& facts) {
  if (facts.results.size() != 1) return std::nullopt;
  const ir::Shape& result = facts.results.front();
  std::int64_t row = 1;
  for (const ir::Shape& operand : facts.operands) {
    if (is_index(operand) || elements(operand) == elements(result)) continue;
    row = std::max(row, common_row(operand, result));
  }
  if (row == 1) return std::nullopt;
  FusionFacts flat = facts;
  flat.results.front() = as_rows(result, row);
  for (ir::Shape& operand : flat.operands) {
    if (!is_index(operand) && common_row(operand, result) % row == 0) operand = as_rows(operand, row);
  }
  return flat;
}

}  // namespace

ir::Module rebuild_loop_fusion(const FusionFacts& facts) { return LoopRebuilder(facts).run(); }

std::optional<ir::Module> rebuild_row_fusion(const FusionFacts& facts) {
  if (auto module = RowRebuilder(facts).run()) return module;
  const std::optional<FusionFacts> flat = with_flat_rows(facts);
  return flat ? RowRebuilder(*flat).run() : std::nullopt;
}

}  // namespace podsim::sw::profile
