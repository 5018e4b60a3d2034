// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/rebuilt_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sw/profile/body_builder.h"

namespace podsim::sw {
namespace {

std::int64_t elements(const Shape& shape) { return shape.element_count(); }

const Shape& largest(const std::vector<Shape>& shapes) { return *std::ranges::max_element(shapes, {}, elements); }

bool is_index(const Shape& shape) { return is_integer(shape.element_type) && byte_width(shape.element_type) == 4; }

/// Random numbers that zero operands make: a word of 32 packed bits takes four operations per bit but one, anything
/// else is one number per element.
std::int64_t random_numbers(const FusionFacts& facts) {
  const Shape& result = largest(facts.results);
  const bool bits = result.element_type == ElementType::u32 || result.element_type == ElementType::pred;
  if (!bits || facts.flops < 0.9 * double(elements(result))) return 0;
  const double per_word = (facts.flops / double(elements(result)) + 1) / 4;
  const std::int64_t packed = result.element_type == ElementType::u32 ? std::llround(per_word) : 1;
  return elements(result) * std::clamp<std::int64_t>(packed, 1, 32);
}

class LoopRebuilder {
 public:
  explicit LoopRebuilder(const FusionFacts& facts) : facts_(facts) {}

  Module run() {
    const FusionTraffic traffic = fusion_traffic(facts_);
    Shape main = largest(facts_.results);
    if (traffic.in_place) main = replaced_part(main, traffic.written);
    std::vector<InstructionId> read;
    Shape reduced = main;
    for (std::size_t i = 0; i < facts_.operands.size(); ++i) {
      InstructionId value = body_.parameter(facts_.operands[i]);
      if (traffic.read[i] < padded_bytes(facts_.operands[i])) value = body_.slice(value, traffic.read[i]);
      const Shape shape = body_.shape(value);
      if (elements(shape) > elements(reduced) && elements(shape) % elements(main) == 0) reduced = shape;
      read.push_back(value);
    }
    const bool reduces = elements(reduced) > elements(main) && facts_.flops >= 0.9 * double(elements(reduced));
    const Shape work = reduces ? reduced : main;
    InstructionId value = start(read, work);
    std::vector<InstructionId> results;
    for (const Shape& result : facts_.results) {
      if (elements(result) < elements(work)) {
        results.push_back(traffic.in_place ? value : smaller(value, result));
      } else {
        results.push_back(results.empty() ? in_shape(value, traffic.in_place ? main : result)
                                          : body_.elementwise(value, result, 1));
      }
    }
    return std::move(body_).fusion(results);
  }

 private:
  /// A reduction, or where dimensions of the result are not those of the array, a window over it: the work has been
  /// done, and what is left are the elements of the result.
  InstructionId smaller(InstructionId value, const Shape& result) {
    const Shape& whole = body_.shape(value);
    if (result.rank() == 0 || matched_dimensions(result, whole).size() == result.dimensions.size()) {
      return body_.reduce(value, result);
    }
    Instruction window;
    window.opcode = Opcode::slice;
    window.operands = {value};
    window.shape = result;
    return body_.add(std::move(window));
  }

  /// What is replaced of an array, as an array.
  static Shape replaced_part(const Shape& whole, base::Bytes bytes) {
    BodyBuilder scratch;
    return scratch.shape(scratch.slice(scratch.parameter(whole), bytes));
  }

  InstructionId start(const std::vector<InstructionId>& read, const Shape& work) {
    std::int64_t operations = std::llround(facts_.flops / double(elements(work)));
    std::int64_t reductions = 0;
    for (const Shape& result : facts_.results) reductions += elements(result) < elements(work) ? 1 : 0;
    operations = std::max<std::int64_t>(0, operations - reductions);
    if (read.empty()) return generate(work, operations);
    std::vector<InstructionId> others;
    for (std::size_t i = 1; i < read.size(); ++i) others.push_back(body_.broadcast(read[i], work));
    return body_.elementwise(body_.broadcast(read.front(), work), work,
                             std::max(operations, std::int64_t(others.size())), others);
  }

  InstructionId generate(const Shape& work, std::int64_t operations) {
    Instruction source;
    source.opcode = Opcode::iota;
    source.shape = work;
    const std::int64_t numbers = random_numbers(facts_);
    if (numbers > 0) {
      // Packed bits are compared as they come, single ones as numbers between 0 and 1.
      const bool packed = numbers > elements(work);
      source.opcode = packed ? Opcode::rng_bit_generator : Opcode::rng;
      source.shape = make_shape(packed ? ElementType::u32 : ElementType::f32,
                                {numbers / work.dimensions.back(), work.dimensions.back()});
    }
    return body_.elementwise(body_.add(std::move(source)), work, std::max<std::int64_t>(1, operations));
  }

  InstructionId in_shape(InstructionId value, const Shape& result) {
    if (body_.shape(value) == result) return value;
    return body_.elementwise(value, result, 1);
  }

  const FusionFacts& facts_;
  BodyBuilder body_;
};

/// A table's rows are named by indices; what is gathered or scattered are rows of one size.
struct RowMove {
  int table = -1, indices = -1, rows = -1;
};

class RowRebuilder {
 public:
  explicit RowRebuilder(const FusionFacts& facts) : facts_(facts) {}

  std::optional<Module> run() {
    if (facts_.results.size() != 1 || facts_.results.front().rank() < 1) return std::nullopt;
    indices_ = find([&](const Shape& shape) { return is_index(shape) && shape.rank() >= 1; });
    if (indices_ < 0) return std::nullopt;
    const Shape& result = facts_.results.front();
    const int source = find([&](const Shape& shape) {
      return !is_index(shape) && shape.rank() >= 1 && elements(shape) != elements(result) && same_row(shape, result);
    });
    const bool gathers = source >= 0 && facts_.flops < double(elements(result)) && facts_.operands.size() <= 2;
    if (gathers) return gather(source, result);
    const int updates = source >= 0 ? source : find([&](const Shape& shape) {
      return !is_index(shape) && shape.rank() >= 1 && same_row(shape, result);
    });
    if (updates < 0) return std::nullopt;
    return scatter(updates, result);
  }

 private:
  template <class Test>
  int find(Test test) const {
    auto found = std::ranges::find_if(facts_.operands, test);
    return found == facts_.operands.end() ? -1 : int(found - facts_.operands.begin());
  }

  /// All dimensions but one, the first, agree.
  static bool same_row(const Shape& a, const Shape& b) {
    return a.rank() == b.rank() && std::equal(a.dimensions.begin() + 1, a.dimensions.end(), b.dimensions.begin() + 1);
  }

  static GatherDimensions row_dimensions(int rank) {
    GatherDimensions dimensions;
    for (int d = 1; d < rank; ++d) dimensions.offset.push_back(d);
    dimensions.collapsed = {0};
    dimensions.index_map = {0};
    dimensions.index_vector = 1;
    return dimensions;
  }

  InstructionId index_array(std::int64_t rows) {
    const InstructionId all = body_.parameter(facts_.operands[std::size_t(indices_)]);
    Instruction slice;
    slice.opcode = Opcode::slice;
    slice.operands = {all};
    slice.shape = make_shape(ElementType::s32, {rows});
    slice.slice = {{0, rows, 1}};
    return body_.add(std::move(slice));
  }

  std::optional<Module> gather(int table, const Shape& result) {
    const InstructionId source = body_.parameter(facts_.operands[std::size_t(table)]);
    Instruction gather;
    gather.opcode = Opcode::gather;
    gather.shape = result;
    gather.operands = {source, index_array(result.dimensions.front())};
    gather.gather = row_dimensions(result.rank());
    gather.slice_sizes = facts_.operands[std::size_t(table)].dimensions;
    gather.slice_sizes.front() = 1;
    return std::move(body_).fusion({body_.add(std::move(gather))});
  }

  std::optional<Module> scatter(int updates, const Shape& result) {
    const Shape& rows = facts_.operands[std::size_t(updates)];
    const int table = find([&](const Shape& shape) {
      return &shape != &rows && shape.element_type == result.element_type && shape.dimensions == result.dimensions;
    });
    InstructionId into = table >= 0 ? body_.parameter(facts_.operands[std::size_t(table)])
                                    : body_.parameter(make_shape(result.element_type, {}));
    into = body_.broadcast(into, result);
    Instruction scatter;
    scatter.opcode = Opcode::scatter;
    scatter.shape = result;
    scatter.operands = {into, index_array(rows.dimensions.front())};
    scatter.operands.push_back(body_.parameter(rows));
    scatter.gather = row_dimensions(result.rank());
    return std::move(body_).fusion({body_.add(std::move(scatter))});
  }

  const FusionFacts& facts_;
  BodyBuilder body_;
  int indices_ = -1;
};

std::int64_t common_row(const Shape& a, const Shape& b) {
  std::int64_t row = 1;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t size = a.dimensions[std::size_t(a.rank() - i)];
    if (size != b.dimensions[std::size_t(b.rank() - i)]) break;
    row *= size;
  }
  return row;
}

Shape as_rows(const Shape& shape, std::int64_t row) {
  return make_shape(shape.element_type, {elements(shape) / row, row});
}

/// Tables, slices and results of more dimensions as rows of the last dimensions that a result has in common with the
/// operand with which it has most in common; nothing when there is no such operand.
std::optional<FusionFacts> with_flat_rows(const FusionFacts& facts) {
  if (facts.results.size() != 1) return std::nullopt;
  const Shape& result = facts.results.front();
  std::int64_t row = 1;
  for (const Shape& operand : facts.operands) {
    if (is_index(operand) || elements(operand) == elements(result)) continue;
    row = std::max(row, common_row(operand, result));
  }
  if (row == 1) return std::nullopt;
  FusionFacts flat = facts;
  flat.results.front() = as_rows(result, row);
  for (Shape& operand : flat.operands) {
    if (!is_index(operand) && common_row(operand, result) % row == 0) operand = as_rows(operand, row);
  }
  return flat;
}

}  // namespace

Module rebuild_loop_fusion(const FusionFacts& facts) { return LoopRebuilder(facts).run(); }

std::optional<Module> rebuild_row_fusion(const FusionFacts& facts) {
  if (auto module = RowRebuilder(facts).run()) return module;
  const std::optional<FusionFacts> flat = with_flat_rows(facts);
  return flat ? RowRebuilder(*flat).run() : std::nullopt;
}

}  // namespace podsim::sw
