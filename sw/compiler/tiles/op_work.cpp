// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/op_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/array_tile.h"
#include "hlo/renaming.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/fuse/inline_fusions.h"
#include "sw/compiler/fuse/separate_loops.h"
#include "sw/compiler/tiles/batched_product.h"
#include "sw/compiler/tiles/grouped_convolution.h"
#include "sw/compiler/tiles/product_arithmetic.h"
#include "sw/compiler/tiles/vector_cost.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// Cross-lane operations that bring an element to the lane that looks it up: its row is rotated, broadcast and rotated.
/// Gathers of elements measure 21 to 25 ns each in two profiles on TPU v3.
constexpr std::int64_t element_operations = 3;

hw::VectorWork& operator+=(hw::VectorWork& sum, const hw::VectorWork& other) {
  sum.loads += other.loads;
  sum.stores += other.stores;
  sum.alu_ops += other.alu_ops;
  sum.transcendentals += other.transcendentals;
  return sum;
}

/// Rows that are collected into weight tiles: each is loaded, shifted to its half of a word, merged and stored. A store
/// for each row is what limits them: products over major dimensions measure 1.0 to 1.2 cycles for a row on TPU v3.
hw::VectorWork collected_work(std::int64_t rows) {
  return {.loads = rows, .stores = rows, .alu_ops = 2 * rows, .transcendentals = 0};
}

std::vector<bool> ancestors(const hlo::Computation& body, hlo::InstructionId id) {
  std::vector<bool> found(body.instructions.size(), false);
  found[id] = true;
  for (hlo::InstructionId at = id; at >= 0; --at) {
    if (!found[at]) continue;
    for (hlo::InstructionId operand : body[at].operands) found[operand] = true;
  }
  return found;
}

/// The part of an array that a slice reads: whole layout tiles, also where it begins or ends within one.
hlo::Shape touched_tiles(const hlo::Instruction& slice, const hlo::Shape& array) {
  hlo::Shape touched = slice.shape;
  if (slice.slice.size() != array.dimensions.size() || array.rank() < 2) return touched;
  for (int i = 0; i < 2; ++i) {
    const auto d = std::size_t(array.minor_dimension(i));
    const std::int64_t tile = i == 0 ? hlo::tile_lanes : hlo::tile_sublanes;
    const hlo::SliceDimension& range = slice.slice[d];
    if (range.stride != 1) continue;
    touched.dimensions[d] = base::round_up(range.limit, tile) - range.start / tile * tile;
    touched.dimensions[d] = std::min(touched.dimensions[d], array.dimensions[d]);
  }
  return touched;
}

/// Computes the work of one body: a fusion's computation, or a bare instruction wrapped as one.
class Analysis {
 public:
  Analysis(const hlo::Computation& body, const TargetMachine& machine)
      : body_(body), machine_(machine), users_(hlo::users_of(body)) {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(body.instructions.size()); ++id) {
      if (is_product(body[id])) hero_ = id;
    }
  }

  OpWork run() {
    if (hero_ >= 0) find_sides();
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(body_.instructions.size()); ++id) {
      if (body_[id].opcode == hlo::Opcode::parameter) {
        add_read(id);
      } else if (is_product(body_[id])) {
        if (id != hero_) work_.earlier_matmuls.push_back(problem_of(body_[id]));
      } else if (body_[id].opcode != hlo::Opcode::tuple) {
        add_arithmetic(id);
      }
    }
    add_writes(body_.root);
    if (hero_ >= 0) work_.sums_in_result = holds_sums(body_[body_.root]);
    if (hero_ >= 0) drop_plain_moves();
    if (hero_ >= 0) add_operand_transpose();
    if (hero_ >= 0) add_splitting();
    if (hero_ < 0) add_loops();
    // Very many small arrays do not stay in VMEM.
    if (work_.small_bytes.total() > machine_.vmem / 4) {
      work_.output_side_bytes += std::exchange(work_.small_bytes, {});
    }
    return work_;
  }

 private:
  /// True for the work of the matrix unit.
  bool is_product(const hlo::Instruction& instruction) const {
    if (!hlo::transform::is_matmul(instruction.opcode)) return false;
    const auto [lhs, rhs] = factors_of(instruction);
    return !product_arithmetic(instruction, lhs.element_type, rhs.element_type, machine_.mxu).in_software() &&
           !runs_on_vector_unit(instruction, lhs, rhs, machine_);
  }

  std::pair<hlo::Shape, hlo::Shape> factors_of(const hlo::Instruction& product) const {
    return {entering_shape(body_, product.operands[0]), entering_shape(body_, product.operands[1])};
  }

  MatmulProblem problem_of(const hlo::Instruction& matmul) const {
    const auto [lhs, rhs] = factors_of(matmul);
    return matmul_problem(matmul, lhs, rhs, machine_.mxu);
  }

  /// Adds the work that makes the pieces of both operands.
  void add_splitting() {
    const hlo::Instruction& hero = body_[hero_];
    const auto [lhs, rhs] = factors_of(hero);
    const ProductArithmetic arithmetic = product_arithmetic(hero, lhs.element_type, rhs.element_type, machine_.mxu);
    const auto splitting = [&](const hlo::Shape& factor, std::int64_t pieces) {
      return splitting_work(factor, pieces, arithmetic.product, machine_.vector);
    };
    const bool lhs_streams = work_.matmul->row_operand == 0;
    (lhs_streams ? work_.row_prologue : work_.lane_prologue) += splitting(lhs, arithmetic.pieces[0]);
    (lhs_streams ? work_.lane_prologue : work_.row_prologue) += splitting(rhs, arithmetic.pieces[1]);
  }

  /// Work of a product that the matrix unit does not compute, and of any other instruction.
  hw::VectorWork vector_work_of(const hlo::Instruction& instruction) const {
    if (!hlo::transform::is_matmul(instruction.opcode)) return vector_cost(instruction, body_, machine_);
    const auto [lhs, rhs] = factors_of(instruction);
    return product_arithmetic(instruction, lhs.element_type, rhs.element_type, machine_.mxu).in_software()
               ? software_product_work(instruction, lhs, rhs, machine_.vector)
               : vector_convolution_work(instruction, lhs, rhs, machine_.vector);
  }

  void find_sides() {
    const hlo::Instruction& hero = body_[hero_];
    work_.matmul = problem_of(hero);
    work_.row_relayouts = registers_of_tiles(work_.matmul->row_rotations, machine_.vector);
    work_.output_relayouts = registers_of_tiles(work_.matmul->output_transposes, machine_.vector);
    const bool overlaps = !work_.matmul->stationary.dimensions.empty();
    (overlaps ? work_.collected : work_.lane_prologue) += collected_work(work_.matmul->moved_lane_rows);
    work_.row_prologue += collected_work(work_.matmul->moved_row_rows);
    work_.epilogue += collected_work(work_.matmul->moved_output_rows);
    row_side_ = ancestors(body_, hero.operands[work_.matmul->row_operand]);
    lane_side_ = ancestors(body_, hero.operands[work_.matmul->lane_operand]);
  }

  /// Registers for the bytes of one array, rounded up: one of 8 x 128 lanes holds 1024 f32 or 2048 bf16.
  std::int64_t registers_moved(base::Bytes bytes) const {
    return base::divide_round_up(bytes.value(), machine_.vector.register_bytes().value());
  }

  bool on_row_side(hlo::InstructionId id) const { return hero_ >= 0 && row_side_[id]; }
  bool on_lane_side(hlo::InstructionId id) const { return hero_ >= 0 && lane_side_[id]; }

  /// True for a gather whose table is read whole and looked up in VMEM. Rows with an index for each of several
  /// dimensions are moved one by one, however small the table is.
  bool is_resident(const hlo::Instruction& gather) const {
    return hlo::padded_bytes(body_[gather.operands[0]].shape) <= machine_.compiler.resident_table &&
           (gather.gather->index_map.size() < 2 || is_element(gather.slice_sizes));
  }

  /// Bytes that `user` reads of an array if it does not read the whole array; std::nullopt if it does.
  std::optional<base::Bytes> part_read(hlo::InstructionId array, hlo::InstructionId user) const {
    const hlo::Instruction& reader = body_[user];
    const bool indexed =
        reader.operands.front() == array && std::count(reader.operands.begin(), reader.operands.end(), array) == 1;
    switch (reader.opcode) {
      case hlo::Opcode::slice:
        return hlo::padded_bytes(touched_tiles(reader, body_[array].shape));
      case hlo::Opcode::dynamic_slice:
        return indexed ? std::optional(hlo::padded_bytes(reader.shape)) : std::nullopt;
      case hlo::Opcode::gather:
        if (is_resident(reader)) return std::nullopt;
        return indexed ? std::optional(base::Bytes(0)) : std::nullopt;
      case hlo::Opcode::dynamic_update_slice:
      case hlo::Opcode::scatter:
        // Rows are counted separately; elements that are not updated stay in place.
        return indexed ? std::optional(base::Bytes(0)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  base::Bytes bytes_read(hlo::InstructionId parameter) const {
    base::Bytes whole = hlo::padded_bytes(body_[parameter].shape);
    const auto& users = users_[parameter];
    std::optional<base::Bytes> parts = users.empty() ? std::nullopt : std::optional(base::Bytes(0));
    for (hlo::InstructionId user : users) {
      const std::optional<base::Bytes> part = part_read(parameter, user);
      parts = parts && part ? std::optional(*parts + *part) : std::nullopt;
    }
    if (parts) return std::min(whole, *parts);
    if (hero_ >= 0 && body_[hero_].opcode == hlo::Opcode::convolution && feeds_input(parameter)) {
      return base::Bytes(
          std::int64_t(double(whole.value()) * input_share_read(body_[hero_], body_[body_[hero_].operands[0]].shape)));
    }
    return whole;
  }

  bool feeds_input(hlo::InstructionId id) const {
    return work_.matmul->row_operand == 0 ? on_row_side(id) && !on_lane_side(id) : on_lane_side(id) && !on_row_side(id);
  }

  /// The memory from or to which an array moves; std::nullopt for one that stays on the core.
  std::optional<int> moves_at(const hlo::Shape& array) const {
    const int number = array.memory_space;
    return number == hw::level::hbm || hw::declared_level(machine_, number) != nullptr ? std::optional(number)
                                                                                       : std::nullopt;
  }

  void add_read(hlo::InstructionId id) {
    base::Bytes bytes = bytes_read(id);
    const std::optional<int> level = moves_at(body_[id].shape);
    if (!level) {
      add_loads(id, bytes);
    } else if (bytes < machine_.compiler.small_operand) {
      work_.small_bytes[*level] += bytes;
      small_registers_ += registers_moved(bytes);
    } else if (on_row_side(id)) {
      work_.row_bytes[*level] += bytes;
      work_.row_prologue.loads += registers_moved(bytes);
    } else if (on_lane_side(id)) {
      work_.lane_bytes[*level] += bytes;
      work_.lane_prologue.loads += registers_moved(bytes);
    } else {
      work_.output_side_bytes[*level] += bytes;
      work_.epilogue.loads += registers_moved(bytes);
      if (hero_ >= 0) add_sharing(id, bytes, *level);
    }
  }

  /// Adds an array of the epilogue that has the batch of the product in its sublanes, where the result has another
  /// dimension: its rows are collected one by one.
  void add_sharing(hlo::InstructionId id, base::Bytes bytes, int level) {
    const hlo::Shape& array = body_[id].shape;
    const hlo::Instruction& hero = body_[hero_];
    if (hero.opcode != hlo::Opcode::dot || users_[id].size() != 1) return;
    const hlo::Shape& result = body_[users_[id].front()].shape;
    if (array.rank() < 2 || result.dimensions != array.dimensions) return;
    const int sublanes = array.minor_dimension(1);
    if (array.minor_dimension(0) != result.minor_dimension(0) || sublanes == result.minor_dimension(1)) return;
    // The dimensions of the product may have another order; a batch is known by its size.
    const std::int64_t size = array.dimensions[std::size_t(sublanes)];
    const auto free = hero.shape.dimensions.begin() + std::ptrdiff_t(hero.dot->lhs_batch.size());
    if (std::find(hero.shape.dimensions.begin(), free, size) == free ||
        std::find(free, hero.shape.dimensions.end(), size) != hero.shape.dimensions.end()) {
      return;
    }
    work_.shared_side_bytes[level] += bytes;
    work_.sharing_products = std::max(work_.sharing_products, std::min(hlo::tile_rows(array), size));
    const std::int64_t row = array.dimensions[std::size_t(array.minor_dimension(0))];
    work_.epilogue += collected_work(array.element_count() / row * base::divide_round_up(row, machine_.vector.lanes));
  }

  /// Adds the costs of loops without common arrays, which run one after another.
  void add_loops() {
    const auto is_moved = [&](hlo::InstructionId id) {
      return fuse::is_array(body_[id].shape) && moves_at(body_[id].shape);
    };
    const hlo::Instruction& root = body_[body_.root];
    std::int64_t arrays = std::ranges::count_if(body_.parameters, is_moved);
    if (root.opcode == hlo::Opcode::tuple) arrays += std::ranges::count_if(root.operands, is_moved);
    work_.loops = fuse::separate_loops(body_);
    work_.loop_arrays = arrays - arrays / work_.loops;
    if (work_.small_bytes.total() < machine_.compiler.min_tile) return;
    work_.output_side_bytes += std::exchange(work_.small_bytes, {});
    work_.epilogue.loads += small_registers_;
  }

  /// Adds the register loads of an array that is already in VMEM.
  void add_loads(hlo::InstructionId id, base::Bytes bytes) {
    hw::VectorWork& side = on_row_side(id)    ? work_.row_prologue
                           : on_lane_side(id) ? work_.lane_prologue
                                              : work_.epilogue;
    side.loads += registers_moved(bytes);
  }

  /// The MXU rounds its operands to bf16 itself, so a conversion between floats that only feeds it costs nothing.
  bool is_rounding_on_entry(hlo::InstructionId id) const {
    if (hero_ < 0 || body_[id].opcode != hlo::Opcode::convert || users_[id].size() != 1) return false;
    const hlo::ElementType source = body_[body_[id].operands.front()].shape.element_type;
    return users_[id].front() == hero_ && hlo::is_floating_point(source) &&
           work_.matmul->product == hw::parts::mxu::Product::bf16;
  }

  void add_arithmetic(hlo::InstructionId id) {
    if (is_rounding_on_entry(id)) return;
    const hlo::Instruction& instruction = body_[id];
    const hw::VectorWork cost = vector_work_of(instruction);
    const std::int64_t relayouts = lane_moves_of(body_[id], body_, machine_);
    if (on_row_side(id)) {
      work_.row_prologue += cost;
      work_.row_relayouts += relayouts;
    } else if (on_lane_side(id)) {
      work_.lane_prologue += cost;
      work_.lane_relayouts += relayouts;
    } else {
      work_.epilogue += cost;
      (hero_ >= 0 ? work_.output_relayouts : work_.lane_moves) += relayouts;
    }
    if (body_[id].opcode == hlo::Opcode::sort) work_.passes = std::max(work_.passes, sort_passes(body_[id]));
    if (body_[id].opcode == hlo::Opcode::concatenate && id == body_.root && concatenates_tiles(body_[id], body_)) {
      work_.serial_transfers += std::int64_t(body_[id].operands.size());  // the end of the op waits for the last
    }
    if (body_[id].opcode == hlo::Opcode::gather || body_[id].opcode == hlo::Opcode::scatter)
      add_indexed_rows(body_[id]);
  }

  /// Adds the rows of a table that a gather reads or a scatter updates.
  void add_indexed_rows(const hlo::Instruction& instruction) {
    const hlo::Shape& table = body_[instruction.operands[0]].shape;
    if (instruction.opcode == hlo::Opcode::gather) {
      if (is_element(instruction.slice_sizes)) {
        work_.lane_moves += element_operations * slices_of(instruction, instruction.shape);
      }
      if (is_resident(instruction)) return add_resident_rows(instruction, table);
      IndexedRows rows = rows_of(table, instruction.slice_sizes, slices_of(instruction, instruction.shape));
      rows.slices *= std::max<std::int64_t>(1, std::int64_t(instruction.gather->index_map.size()));
      merge(work_.gathered, rows);
    } else {
      const std::size_t tables = instruction.operands.size() / 2;
      const hlo::Shape& updates = body_[instruction.operands[tables + 1]].shape;
      const std::vector<std::int64_t> sizes = updated_window(instruction, table, updates);
      merge(work_.updated, rows_of(table, sizes, slices_of(instruction, updates)));
    }
  }

  IndexedRows rows_of(const hlo::Shape& table, const std::vector<std::int64_t>& sizes, std::int64_t count) const {
    IndexedRows rows = indexed_rows(table, sizes, count, machine_.dram.organization.burst);
    rows.level = moves_at(table).value_or(hw::level::hbm);
    return rows;
  }

  static bool is_element(const std::vector<std::int64_t>& sizes) {
    return std::ranges::all_of(sizes, [](std::int64_t size) { return size == 1; });
  }

  /// Adds the loads and stores that copy rows within VMEM.
  void add_resident_rows(const hlo::Instruction& gather, const hlo::Shape& table) {
    const IndexedRows rows = rows_of(table, gather.slice_sizes, slices_of(gather, gather.shape));
    const std::int64_t copied = registers_moved(base::Bytes(std::max<std::int64_t>(1, rows.piece.value())));
    work_.epilogue.loads += (rows.shares_words ? 2 : 1) * rows.pieces * copied;
    work_.epilogue.stores += rows.pieces * copied;
  }

  /// Adds rows of several gathers in one op; the larger piece size applies to all, and the memory of the lowest number.
  static void merge(IndexedRows& sum, const IndexedRows& rows) {
    sum = {sum.slices + rows.slices,
           sum.pieces + rows.pieces,
           std::max(sum.piece, rows.piece),
           std::max(sum.span, rows.span),
           sum.shares_words || rows.shares_words,
           sum.pieces > 0 ? std::min(sum.level, rows.level) : rows.level};
  }

  /// Number of slices: elements of a result or of updates over the dimensions that are not within a slice.
  static std::int64_t slices_of(const hlo::Instruction& instruction, const hlo::Shape& slices) {
    std::int64_t count = slices.element_count();
    for (int dimension : instruction.gather->offset) count /= std::max<std::int64_t>(1, slices.dimensions[dimension]);
    return count;
  }

  /// Sizes of a scatter's slice in every dimension of its table.
  static std::vector<std::int64_t> updated_window(const hlo::Instruction& scatter, const hlo::Shape& table,
                                                  const hlo::Shape& updates) {
    std::vector<std::int64_t> sizes(table.dimensions.size(), 1);
    std::size_t next = 0;
    for (int i = 0; i < table.rank(); ++i) {
      const bool dropped = std::ranges::count(scatter.gather->collapsed, i) > 0 ||
                           std::ranges::count(scatter.gather->operand_batching, i) > 0;
      if (!dropped) sizes[i] = updates.dimensions[scatter.gather->offset[next++]];
    }
    return sizes;
  }

  /// Adds the writes of a result: the whole array, or only the updated part if it is updated in place.
  void add_writes(hlo::InstructionId id) {
    const hlo::Instruction& instruction = body_[id];
    if (instruction.opcode == hlo::Opcode::tuple) {
      for (hlo::InstructionId element : instruction.operands) add_writes(element);
      return;
    }
    const base::Bytes bytes = bytes_written(instruction);
    work_.epilogue.stores += registers_moved(bytes);
    const std::optional<int> level = moves_at(instruction.shape);
    if (instruction.opcode == hlo::Opcode::scatter) work_.table_bytes[level.value_or(hw::level::hbm)] += bytes;
    if (level) work_.written_bytes[*level] += bytes;
  }

  /// A bare product whose operands are not collected has no loops before or after it: loads of the operands enter the
  /// matrix unit, and sums are stored as they leave it, in the time of the product (tile_maker.cpp, accumulation).
  void drop_plain_moves() {
    const std::array<hw::VectorWork*, 3> sides = {&work_.row_prologue, &work_.lane_prologue, &work_.epilogue};
    const auto moves_alone = [](const hw::VectorWork* side) {
      return side->alu_ops == 0 && side->transcendentals == 0;
    };
    if (!std::ranges::all_of(sides, moves_alone) || work_.collected != hw::VectorWork{}) return;
    for (hw::VectorWork* side : sides) *side = {};
  }

  /// True if a result has a word for every partial sum, and so holds the sums until the epilogue makes it of them.
  bool holds_sums(const hlo::Instruction& result) const {
    if (result.opcode == hlo::Opcode::tuple) {
      return std::ranges::any_of(result.operands, [&](hlo::InstructionId id) { return holds_sums(body_[id]); });
    }
    return result.shape.element_type == hlo::ElementType::f32 && moves_at(result.shape) &&
           hlo::padded_bytes(result.shape) >= hlo::padded_bytes(body_[hero_].shape);
  }

  base::Bytes bytes_written(const hlo::Instruction& instruction) const {
    const bool updates =
        instruction.opcode == hlo::Opcode::scatter || instruction.opcode == hlo::Opcode::dynamic_update_slice;
    if (!updates || body_[instruction.operands[0]].opcode != hlo::Opcode::parameter) {
      return hlo::padded_bytes(instruction.shape);
    }
    if (instruction.opcode == hlo::Opcode::scatter) return base::Bytes(0);
    return hlo::padded_bytes(body_[instruction.operands[1]].shape);
  }

  /// The streamed operand enters as rows with the contraction in the lanes. If it has the other orientation in memory
  /// (weight gradients: channels in the lanes, batch and space contracted), the XLU transposes it first.
  void add_operand_transpose() {
    const hlo::Instruction& hero = body_[hero_];
    if (hero.opcode != hlo::Opcode::convolution || work_.matmul->row_operand != 0) return;
    const hlo::Shape& rows = body_[hero.operands[0]].shape;
    if (rows.minor_dimension(0) == hero.convolution->input_feature || as_batched_product(hero, rows)) return;
    work_.lane_moves += registers_moved(hlo::padded_bytes(rows));
  }

  const hlo::Computation& body_;
  const TargetMachine& machine_;
  std::vector<std::vector<hlo::InstructionId>> users_;
  hlo::InstructionId hero_ = -1;
  std::vector<bool> row_side_, lane_side_;
  std::int64_t small_registers_ = 0;
  OpWork work_;
};

/// A bare instruction as the body of a fusion; an operand that it names twice becomes one parameter.
hlo::Computation wrap(const hlo::Computation& computation, hlo::InstructionId id) {
  hlo::Computation body;
  hlo::Instruction copy = computation[id];
  std::map<hlo::InstructionId, hlo::InstructionId> parameters;
  for (hlo::InstructionId& operand : copy.operands) {
    auto [known, added] = parameters.try_emplace(operand, hlo::InstructionId(body.instructions.size()));
    if (!added) {
      operand = known->second;
      continue;
    }
    hlo::Instruction parameter;
    parameter.opcode = hlo::Opcode::parameter;
    parameter.shape = computation[operand].shape;
    parameter.index = std::int64_t(body.parameters.size());
    operand = known->second;
    body.parameters.push_back(operand);
    body.instructions.push_back(std::move(parameter));
  }
  body.root = hlo::InstructionId(body.instructions.size());
  body.instructions.push_back(std::move(copy));
  return body;
}

/// Sets the memory space of a parameter or a result to that of the op's caller.
void place(hlo::Computation& body, hlo::InstructionId id, const hlo::Shape& shape) {
  body[id].shape.memory_space = shape.memory_space;
  if (body[id].opcode != hlo::Opcode::tuple) return;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const hlo::InstructionId element = body[id].operands[i];
    if (body[element].opcode != hlo::Opcode::parameter) place(body, element, shape.tuple_shapes[i]);
  }
}

/// Returns whether place() would change nothing.
bool is_placed(const hlo::Computation& body, hlo::InstructionId id, const hlo::Shape& shape) {
  if (body[id].shape.memory_space != shape.memory_space) return false;
  if (body[id].opcode != hlo::Opcode::tuple) return true;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const hlo::InstructionId element = body[id].operands[i];
    if (body[element].opcode != hlo::Opcode::parameter && !is_placed(body, element, shape.tuple_shapes[i]))
      return false;
  }
  return true;
}

/// Returns whether the body of a fusion can be analysed unchanged: its parameters come first, there is nothing to
/// inline, and every array has the memory space of the caller.
bool is_plain(const hlo::Computation& body, const hlo::Computation& computation, const hlo::Instruction& fusion) {
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(body.instructions.size()); ++id) {
    const hlo::Opcode opcode = body[id].opcode;
    const bool first = id < hlo::InstructionId(body.parameters.size());
    if (first != (opcode == hlo::Opcode::parameter) || (first && (body[id].index != id || body.parameters[id] != id))) {
      return false;
    }
    if (opcode == hlo::Opcode::fusion || opcode == hlo::Opcode::call || opcode == hlo::Opcode::get_tuple_element)
      return false;
    if (first && !is_placed(body, id, computation[fusion.operands[id]].shape)) return false;
  }
  return is_placed(body, body.root, fusion.shape);
}

}  // namespace

OpWork op_work(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
               const TargetMachine& machine) {
  const hlo::Instruction& instruction = computation[id];
  if (instruction.opcode == hlo::Opcode::fusion) {
    const hlo::Computation& body = module.computations[instruction.called.front()];
    if (is_plain(body, computation, instruction)) return Analysis(body, machine).run();
  }
  hlo::Computation body = instruction.opcode == hlo::Opcode::fusion
                              ? fuse::inline_fusions(module, module.computations[instruction.called.front()])
                              : wrap(computation, id);
  if (instruction.opcode == hlo::Opcode::fusion) {
    for (std::size_t i = 0; i < body.parameters.size(); ++i) {
      place(body, body.parameters[i], computation[instruction.operands[i]].shape);
    }
  }
  place(body, body.root, instruction.shape);
  return Analysis(body, machine).run();
}

}  // namespace podsim::sw::compiler::tiles
