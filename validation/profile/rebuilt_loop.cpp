// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/rebuilt_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "hlo/array_tile.h"
#include "validation/profile/body_builder.h"
#include "validation/profile/not_modelled.h"

namespace podsim::validation::profile {
namespace {

/// Each operation is an instruction of the rebuilt body. A sum over a vocabulary whose
/// array the text does not have takes 120,000.
constexpr std::int64_t max_operations = 1 << 18;

/// A fusion without operands that makes numbers from iotas takes fewer operations than a dropout mask: compare the
/// random number, select, scale.
constexpr double min_mask_operations = 2.5;

/// An operand whose rows are shorter may have an addend in each lane.
constexpr std::int64_t max_addends = hlo::tile_sublanes;

/// Indices of a row of a table, one for each of its dimensions.
constexpr std::int64_t max_indices = 4;

/// FLOPs per element of a result that is only moved, and of one that may also be the table of a scatter.
constexpr double max_moved = 1, max_moved_in_place = 0.5;

std::int64_t elements(const hlo::Shape& shape) { return shape.element_count(); }

const hlo::Shape& largest(const std::vector<hlo::Shape>& shapes) {
  return *std::ranges::max_element(shapes, {}, elements);
}

bool is_index(const hlo::Shape& shape) {
  return hlo::is_integer(shape.element_type) && hlo::byte_width(shape.element_type) == 4;
}

/// Number of random numbers that a fusion without operands makes: a word of 32 packed bits takes four operations per
/// bit except one; any other element is one number.
std::int64_t random_numbers(const FusionFacts& facts) {
  const hlo::Shape& result = largest(facts.results);
  const bool bits = result.element_type == hlo::ElementType::u32 || result.element_type == hlo::ElementType::pred;
  const double least = bits ? 0.9 : min_mask_operations;
  if (!facts.operands.empty() || facts.flops < least * double(elements(result))) return 0;
  const double per_word = (facts.flops / double(elements(result)) + 1) / 4;
  const std::int64_t packed = result.element_type == hlo::ElementType::u32 ? std::llround(per_word) : 1;
  return elements(result) * std::clamp<std::int64_t>(packed, 1, 32);
}

class LoopRebuilder {
 public:
  explicit LoopRebuilder(const FusionFacts& facts)
      : arrays_(accessed_arrays(facts)), flops_(facts.flops), random_numbers_(random_numbers(facts)) {}

  hlo::Module run() {
    const hlo::Shape& main = largest(arrays_.results);
    std::vector<hlo::InstructionId> read;
    hlo::Shape reduced = main;
    for (const hlo::Shape& operand : arrays_.operands) {
      read.push_back(body_.parameter(operand));
      if (elements(operand) > elements(reduced) && elements(operand) % elements(main) == 0) reduced = operand;
    }
    const bool reduces = elements(reduced) > elements(main) && flops_ >= 0.9 * double(elements(reduced));
    const hlo::Shape work = reduces ? reduced : main;
    hlo::InstructionId value = start(read, work);
    std::vector<hlo::InstructionId> results;
    for (const hlo::Shape& result : arrays_.results) {
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
  hlo::InstructionId smaller(hlo::InstructionId value, const hlo::Shape& result) {
    const hlo::Shape& whole = body_.shape(value);
    if (is_sum_of(result, whole)) return body_.reduce(value, result);
    hlo::Instruction window;
    window.opcode = hlo::Opcode::slice;
    window.operands = {value};
    window.shape = result;
    return body_.add(std::move(window));
  }

  hlo::InstructionId start(const std::vector<hlo::InstructionId>& read, const hlo::Shape& work) {
    std::int64_t operations = std::llround(flops_ / double(elements(work)));
    if (operations > max_operations) {
      throw NotModelled(fmt::format("there are more than {} FLOPs per element of every array", max_operations));
    }
    std::int64_t reductions = 0;
    for (const hlo::Shape& result : arrays_.results) reductions += elements(result) < elements(work) ? 1 : 0;
    operations = std::max<std::int64_t>(0, operations - reductions);
    if (read.empty()) return generate(work, operations);
    std::vector<hlo::InstructionId> others;
    for (std::size_t i = 1; i < read.size(); ++i) others.push_back(spread(read[i], work));
    return body_.elementwise(spread(read.front(), work), work, std::max(operations, std::int64_t(others.size())),
                             others);
  }

  /// An operand as large as the array in its work. One with the rows of the array but few other lanes has the addends
  /// of a sum, as in an interpolation: each of its rows is spread over the lanes of the array.
  hlo::InstructionId spread(hlo::InstructionId value, const hlo::Shape& work) {
    const hlo::Shape part = body_.shape(value);
    const int lanes = work.rank() - 1;
    const bool same_rows = part.rank() == work.rank() && work.rank() > 1 && work.minor_dimension(0) == lanes &&
                           part.minor_dimension(0) == lanes &&
                           std::equal(part.dimensions.begin(), part.dimensions.end() - 1, work.dimensions.begin());
    if (!same_rows || part.dimensions.back() >= max_addends || part.dimensions.back() >= work.dimensions.back())
      return body_.broadcast(value, work);
    hlo::Shape addends = hlo::make_shape(part.element_type, part.dimensions);
    addends.dimensions.push_back(work.dimensions.back());
    return body_.broadcast(value, addends);
  }

  hlo::InstructionId generate(const hlo::Shape& work, std::int64_t operations) {
    hlo::Instruction source;
    source.opcode = hlo::Opcode::iota;
    source.shape = work;
    if (random_numbers_ > 0) {
      // Packed bits are compared directly, single ones as numbers between 0 and 1.
      const bool packed = random_numbers_ > elements(work);
      const std::int64_t row = work.rank() == 0 ? 1 : work.dimensions.back();
      source.opcode = packed ? hlo::Opcode::rng_bit_generator : hlo::Opcode::rng;
      source.shape =
          hlo::make_shape(packed ? hlo::ElementType::u32 : hlo::ElementType::f32, {random_numbers_ / row, row});
    }
    return body_.elementwise(body_.add(std::move(source)), work, std::max<std::int64_t>(1, operations));
  }

  hlo::InstructionId in_shape(hlo::InstructionId value, const hlo::Shape& result) {
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

  std::optional<hlo::Module> run() {
    if (facts_.results.size() != 1 || facts_.results.front().rank() < 1) return std::nullopt;
    const hlo::Shape& result = facts_.results.front();
    if (std::optional<hlo::Module> module = gather(result)) return module;
    indices_ = find([&](const hlo::Shape& shape) { return is_index(shape) && shape.rank() >= 1; });
    if (indices_ < 0) return std::nullopt;
    const int other = find([&](const hlo::Shape& shape) {
      return is_array(shape) && elements(shape) != elements(result) && same_row(shape, result);
    });
    const int updates =
        other >= 0 ? other : find([&](const hlo::Shape& shape) { return is_array(shape) && same_row(shape, result); });
    if (updates < 0) return std::nullopt;
    return scatter(updates, result);
  }

 private:
  template <class Test>
  int find(Test test) const {
    auto found = std::ranges::find_if(facts_.operands, test);
    return found == facts_.operands.end() ? -1 : int(found - facts_.operands.begin());
  }

  static bool is_array(const hlo::Shape& shape) { return !is_index(shape) && shape.rank() >= 1; }

  /// True if all dimensions except the first agree.
  static bool same_row(const hlo::Shape& a, const hlo::Shape& b) {
    return a.rank() == b.rank() && std::equal(a.dimensions.begin() + 1, a.dimensions.end(), b.dimensions.begin() + 1);
  }

  static hlo::GatherDimensions row_dimensions(int rank) {
    hlo::GatherDimensions dimensions;
    for (int d = 1; d < rank; ++d) dimensions.offset.push_back(d);
    dimensions.collapsed = {0};
    dimensions.index_map = {0};
    dimensions.index_vector = 1;
    return dimensions;
  }

  hlo::InstructionId index_array(std::vector<std::int64_t> sizes) {
    const hlo::InstructionId all = body_.parameter(facts_.operands[std::size_t(indices_)]);
    hlo::Instruction slice;
    slice.opcode = hlo::Opcode::slice;
    slice.operands = {all};
    for (std::int64_t size : sizes) slice.slice.push_back({0, size, 1});
    slice.shape = hlo::make_shape(hlo::ElementType::s32, std::move(sizes));
    return body_.add(std::move(slice));
  }

  /// A gather has two operands, the table and then the indices, and no operations on what it finds. A scatter of as
  /// many rows as the table has adds each.
  std::optional<hlo::Module> gather(const hlo::Shape& result) {
    if (facts_.operands.size() != 2 || facts_.flops >= max_moved * double(elements(result))) return std::nullopt;
    indices_ = is_index(facts_.operands[1]) ? 1 : 0;
    const hlo::Shape &table = facts_.operands[std::size_t(1 - indices_)],
                     &indices = facts_.operands[std::size_t(indices_)];
    if (!is_index(indices) || indices.rank() == 0 || table.rank() == 0) return std::nullopt;
    const bool updates = facts_.flops >= max_moved_in_place * double(elements(result));
    if (same_row(table, result) && (elements(table) != elements(result) || !updates)) return rows(table, result);
    // An element has an index for each dimension of the table.
    if (result.rank() == 1 && elements(indices) >= elements(result) * table.rank()) return single(table, result);
    return std::nullopt;
  }

  /// A row has as many indices as the text has for each, unless their array is padded to whole tiles. The table is that
  /// of the text, with a major dimension of one element for every index but the last.
  hlo::Module rows(const hlo::Shape& table, const hlo::Shape& result) {
    const std::int64_t count = result.dimensions.front();
    const std::int64_t all = elements(facts_.operands[std::size_t(indices_)]);
    const std::int64_t of_a_row = std::clamp<std::int64_t>(all / std::max<std::int64_t>(1, count), 1, max_indices);
    const bool padded = all == base::round_up(count, hlo::tile_sublanes * hlo::tile_lanes);
    const int added = all == of_a_row * count && !padded ? int(of_a_row) - 1 : 0;
    hlo::Shape source = table;
    for (int& d : source.minor_to_major) d += added;
    for (int d = added; d > 0 && !source.minor_to_major.empty(); --d) source.minor_to_major.push_back(d - 1);
    source.dimensions.insert(source.dimensions.begin(), std::size_t(added), 1);
    hlo::Instruction gather;
    gather.opcode = hlo::Opcode::gather;
    gather.shape = result;
    gather.operands = {body_.parameter(source),
                       index_array(added > 0 ? std::vector<std::int64_t>{count, added + 1} : std::vector{count})};
    gather.gather = row_dimensions(result.rank());
    hlo::GatherDimensions& roles = gather.gather.edit();
    for (int d = 1; d <= added; ++d) {
      roles.collapsed.push_back(d);
      roles.index_map.push_back(d);
    }
    gather.slice_sizes = source.dimensions;
    std::fill_n(gather.slice_sizes.begin(), added + 1, 1);
    return std::move(body_).fusion({body_.add(std::move(gather))});
  }

  hlo::Module single(const hlo::Shape& table, const hlo::Shape& result) {
    const hlo::InstructionId source = body_.parameter(table);
    hlo::Instruction gather;
    gather.opcode = hlo::Opcode::gather;
    gather.shape = result;
    gather.operands = {source, index_array({elements(result), table.rank()})};
    hlo::GatherDimensions& roles = gather.gather.edit();
    roles.index_vector = 1;
    for (int d = 0; d < table.rank(); ++d) {
      roles.collapsed.push_back(d);
      roles.index_map.push_back(d);
    }
    gather.slice_sizes.assign(table.dimensions.size(), 1);
    return std::move(body_).fusion({body_.add(std::move(gather))});
  }

  std::optional<hlo::Module> scatter(int updates, const hlo::Shape& result) {
    const hlo::Shape& rows = facts_.operands[std::size_t(updates)];
    const int table = find([&](const hlo::Shape& shape) {
      return &shape != &rows && shape.element_type == result.element_type && shape.dimensions == result.dimensions;
    });
    hlo::InstructionId into = table >= 0 ? body_.parameter(facts_.operands[std::size_t(table)])
                                         : body_.parameter(hlo::make_shape(result.element_type, {}));
    into = body_.broadcast(into, result);
    hlo::Instruction scatter;
    scatter.opcode = hlo::Opcode::scatter;
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

std::int64_t common_row(const hlo::Shape& a, const hlo::Shape& b) {
  std::int64_t row = 1;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t size = a.dimensions[std::size_t(a.rank() - i)];
    if (size != b.dimensions[std::size_t(b.rank() - i)]) break;
    row *= size;
  }
  return row;
}

hlo::Shape as_rows(const hlo::Shape& shape, std::int64_t row) {
  return hlo::make_shape(shape.element_type, {elements(shape) / row, row});
}

/// Returns the facts with tables, slices and results of more dimensions flattened to rows. A row is the largest group
/// of last dimensions that the result shares with an operand. Returns std::nullopt if no operand shares any.
std::optional<FusionFacts> with_flat_rows(const FusionFacts& facts) {
  if (facts.results.size() != 1) return std::nullopt;
  const hlo::Shape& result = facts.results.front();
  std::int64_t row = 1;
  for (const hlo::Shape& operand : facts.operands) {
    if (is_index(operand) || elements(operand) == elements(result)) continue;
    row = std::max(row, common_row(operand, result));
  }
  if (row == 1) return std::nullopt;
  FusionFacts flat = facts;
  flat.results.front() = as_rows(result, row);
  for (hlo::Shape& operand : flat.operands) {
    if (!is_index(operand) && common_row(operand, result) % row == 0) operand = as_rows(operand, row);
  }
  return flat;
}

}  // namespace

hlo::Module rebuild_loop_fusion(const FusionFacts& facts) { return LoopRebuilder(facts).run(); }

std::optional<hlo::Module> rebuild_row_fusion(const FusionFacts& facts) {
  if (auto module = RowRebuilder(facts).run()) return module;
  const std::optional<FusionFacts> flat = with_flat_rows(facts);
  return flat ? RowRebuilder(*flat).run() : std::nullopt;
}

}  // namespace podsim::validation::profile
