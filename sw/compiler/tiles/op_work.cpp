// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/op_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/inline_fusions.h"
#include "sw/compiler/fuse/separate_loops.h"
#include "sw/compiler/tiles/batched_product.h"
#include "sw/compiler/tiles/grouped_convolution.h"
#include "sw/compiler/tiles/product_arithmetic.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/ir/array_tile.h"
#include "sw/ir/renaming.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr base::Bytes register_bytes{4096};

/// Cross-lane operations that bring an element to the lane that looks it up: its row is rotated, broadcast and rotated.
/// Gathers of elements measure 21 to 25 ns each in two profiles on TPU v3.
constexpr std::int64_t element_operations = 3;

/// Registers for the bytes of one array, rounded up: a register holds 1024 f32 or 2048 bf16.
std::int64_t registers_moved(base::Bytes bytes) { return base::divide_round_up(bytes.value(), register_bytes.value()); }

hw::VectorWork& operator+=(hw::VectorWork& sum, const hw::VectorWork& other) {
  sum.loads += other.loads;
  sum.stores += other.stores;
  sum.alu_ops += other.alu_ops;
  sum.transcendentals += other.transcendentals;
  return sum;
}

std::vector<bool> ancestors(const ir::Computation& body, ir::InstructionId id) {
  std::vector<bool> found(body.instructions.size(), false);
  found[id] = true;
  for (ir::InstructionId at = id; at >= 0; --at) {
    if (!found[at]) continue;
    for (ir::InstructionId operand : body[at].operands) found[operand] = true;
  }
  return found;
}

/// The part of an array that a slice reads: whole layout tiles, also where it begins or ends within one.
ir::Shape touched_tiles(const ir::Instruction& slice, const ir::Shape& array) {
  ir::Shape touched = slice.shape;
  if (slice.slice.size() != array.dimensions.size() || array.rank() < 2) return touched;
  for (int i = 0; i < 2; ++i) {
    const auto d = std::size_t(array.minor_dimension(i));
    const std::int64_t tile = i == 0 ? ir::tile_lanes : ir::tile_sublanes;
    const ir::SliceDimension& range = slice.slice[d];
    if (range.stride != 1) continue;
    touched.dimensions[d] = base::round_up(range.limit, tile) - range.start / tile * tile;
    touched.dimensions[d] = std::min(touched.dimensions[d], array.dimensions[d]);
  }
  return touched;
}

/// Computes the work of one body: a fusion's computation, or a bare instruction wrapped as one.
class Analysis {
 public:
  Analysis(const ir::Computation& body, const hw::Machine& machine)
      : body_(body), machine_(machine), users_(ir::users_of(body)) {
    for (ir::InstructionId id = 0; id < ir::InstructionId(body.instructions.size()); ++id) {
      if (is_product(body[id])) hero_ = id;
    }
  }

  OpWork run() {
    if (hero_ >= 0) find_sides();
    for (ir::InstructionId id = 0; id < ir::InstructionId(body_.instructions.size()); ++id) {
      if (body_[id].opcode == ir::Opcode::parameter) {
        add_read(id);
      } else if (is_product(body_[id])) {
        if (id != hero_) work_.earlier_matmuls.push_back(problem_of(body_[id]));
      } else if (body_[id].opcode != ir::Opcode::tuple) {
        add_arithmetic(id);
      }
    }
    add_writes(body_.root);
    if (hero_ >= 0) add_operand_transpose();
    if (hero_ >= 0) add_splitting();
    if (hero_ < 0) add_loops();
    // Very many small arrays do not stay in VMEM.
    if (work_.small_bytes > machine_.vmem / 4) {
      work_.output_side_bytes += std::exchange(work_.small_bytes, base::Bytes(0));
    }
    return work_;
  }

 private:
  /// True for the work of the matrix unit.
  bool is_product(const ir::Instruction& instruction) const {
    if (!ir::transform::is_matmul(instruction.opcode)) return false;
    const auto [lhs, rhs] = factors_of(instruction);
    return !product_arithmetic(instruction, lhs.element_type, rhs.element_type).in_software() &&
           !runs_on_vector_unit(instruction, lhs, rhs, machine_);
  }

  std::pair<ir::Shape, ir::Shape> factors_of(const ir::Instruction& product) const {
    return {entering_shape(body_, product.operands[0]), entering_shape(body_, product.operands[1])};
  }

  MatmulProblem problem_of(const ir::Instruction& matmul) const {
    const auto [lhs, rhs] = factors_of(matmul);
    return matmul_problem(matmul, lhs, rhs, machine_.mxu.size);
  }

  /// Adds the work that makes the pieces of both operands.
  void add_splitting() {
    const ir::Instruction& hero = body_[hero_];
    const auto [lhs, rhs] = factors_of(hero);
    const auto pieces = product_arithmetic(hero, lhs.element_type, rhs.element_type).pieces;
    const bool lhs_streams = work_.matmul->row_operand == 0;
    (lhs_streams ? work_.row_prologue : work_.lane_prologue) += splitting_work(lhs, pieces[0]);
    (lhs_streams ? work_.lane_prologue : work_.row_prologue) += splitting_work(rhs, pieces[1]);
  }

  /// Work of a product that the matrix unit does not compute, and of any other instruction.
  hw::VectorWork vector_work_of(const ir::Instruction& instruction) const {
    if (!ir::transform::is_matmul(instruction.opcode)) return vector_cost(instruction, body_, machine_.compiler);
    const auto [lhs, rhs] = factors_of(instruction);
    return product_arithmetic(instruction, lhs.element_type, rhs.element_type).in_software()
               ? software_product_work(instruction, lhs, rhs)
               : vector_convolution_work(instruction, lhs, rhs);
  }

  void find_sides() {
    const ir::Instruction& hero = body_[hero_];
    work_.matmul = problem_of(hero);
    work_.row_relayouts = work_.matmul->row_rotations;
    work_.output_relayouts = work_.matmul->output_transposes;
    row_side_ = ancestors(body_, hero.operands[work_.matmul->row_operand]);
    lane_side_ = ancestors(body_, hero.operands[work_.matmul->lane_operand]);
  }

  bool on_row_side(ir::InstructionId id) const { return hero_ >= 0 && row_side_[id]; }
  bool on_lane_side(ir::InstructionId id) const { return hero_ >= 0 && lane_side_[id]; }

  /// True for a table that is read whole and looked up in VMEM.
  bool is_resident(const ir::Shape& table) const { return ir::padded_bytes(table) <= machine_.compiler.resident_table; }

  /// Bytes that `user` reads of an array if it does not read the whole array; std::nullopt if it does.
  std::optional<base::Bytes> part_read(ir::InstructionId array, ir::InstructionId user) const {
    const ir::Instruction& reader = body_[user];
    const bool indexed =
        reader.operands.front() == array && std::count(reader.operands.begin(), reader.operands.end(), array) == 1;
    switch (reader.opcode) {
      case ir::Opcode::slice:
        return ir::padded_bytes(touched_tiles(reader, body_[array].shape));
      case ir::Opcode::dynamic_slice:
        return indexed ? std::optional(ir::padded_bytes(reader.shape)) : std::nullopt;
      case ir::Opcode::gather:
        if (is_resident(body_[array].shape)) return std::nullopt;
        return indexed ? std::optional(base::Bytes(0)) : std::nullopt;
      case ir::Opcode::dynamic_update_slice:
      case ir::Opcode::scatter:
        // Rows are counted separately; elements that are not updated stay in place.
        return indexed ? std::optional(base::Bytes(0)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  base::Bytes bytes_read(ir::InstructionId parameter) const {
    base::Bytes whole = ir::padded_bytes(body_[parameter].shape);
    const auto& users = users_[parameter];
    std::optional<base::Bytes> parts = users.empty() ? std::nullopt : std::optional(base::Bytes(0));
    for (ir::InstructionId user : users) {
      const std::optional<base::Bytes> part = part_read(parameter, user);
      parts = parts && part ? std::optional(*parts + *part) : std::nullopt;
    }
    if (parts) return std::min(whole, *parts);
    if (hero_ >= 0 && body_[hero_].opcode == ir::Opcode::convolution && feeds_input(parameter)) {
      return base::Bytes(
          std::int64_t(double(whole.value()) * input_share_read(body_[hero_], body_[body_[hero_].operands[0]].shape)));
    }
    return whole;
  }

  bool feeds_input(ir::InstructionId id) const {
    return work_.matmul->row_operand == 0 ? on_row_side(id) && !on_lane_side(id) : on_lane_side(id) && !on_row_side(id);
  }

  void add_read(ir::InstructionId id) {
    base::Bytes bytes = bytes_read(id);
    if (body_[id].shape.memory_space != 0) {
      add_loads(id, bytes);
    } else if (bytes < machine_.compiler.small_operand) {
      work_.small_bytes += bytes;
      small_registers_ += registers_moved(bytes);
    } else if (on_row_side(id)) {
      work_.row_bytes += bytes;
      work_.row_prologue.loads += registers_moved(bytes);
    } else if (on_lane_side(id)) {
      work_.lane_bytes += bytes;
      work_.lane_prologue.loads += registers_moved(bytes);
    } else {
      work_.output_side_bytes += bytes;
      work_.epilogue.loads += registers_moved(bytes);
    }
  }

  /// Adds the costs of loops without common arrays, which run one after another.
  void add_loops() {
    const auto is_moved = [&](ir::InstructionId id) {
      return fuse::is_array(body_[id].shape) && body_[id].shape.memory_space == 0;
    };
    const ir::Instruction& root = body_[body_.root];
    std::int64_t arrays = std::ranges::count_if(body_.parameters, is_moved);
    if (root.opcode == ir::Opcode::tuple) arrays += std::ranges::count_if(root.operands, is_moved);
    work_.loops = fuse::separate_loops(body_);
    work_.loop_arrays = arrays - arrays / work_.loops;
    if (work_.small_bytes < machine_.compiler.least_tile) return;
    work_.output_side_bytes += std::exchange(work_.small_bytes, base::Bytes(0));
    work_.epilogue.loads += small_registers_;
  }

  /// Adds the register loads of an array that is already in VMEM.
  void add_loads(ir::InstructionId id, base::Bytes bytes) {
    hw::VectorWork& side = on_row_side(id)    ? work_.row_prologue
                           : on_lane_side(id) ? work_.lane_prologue
                                              : work_.epilogue;
    side.loads += registers_moved(bytes);
  }

  /// The MXU rounds its operands itself, so a conversion between floats that only feeds it costs nothing.
  bool is_rounding_on_entry(ir::InstructionId id) const {
    if (hero_ < 0 || body_[id].opcode != ir::Opcode::convert || users_[id].size() != 1) return false;
    const ir::ElementType source = body_[body_[id].operands.front()].shape.element_type;
    return users_[id].front() == hero_ && ir::is_floating_point(source);
  }

  void add_arithmetic(ir::InstructionId id) {
    if (is_rounding_on_entry(id)) return;
    const ir::Instruction& instruction = body_[id];
    const hw::VectorWork cost = vector_work_of(instruction);
    const std::int64_t relayouts = cross_lane_cost(body_[id], body_, machine_.compiler);
    if (on_row_side(id)) {
      work_.row_prologue += cost;
      work_.row_relayouts += relayouts;
    } else if (on_lane_side(id)) {
      work_.lane_prologue += cost;
      work_.lane_relayouts += relayouts;
    } else {
      work_.epilogue += cost;
      (hero_ >= 0 ? work_.output_relayouts : work_.cross_lane_ops) += relayouts;
    }
    if (body_[id].opcode == ir::Opcode::sort) work_.passes = std::max(work_.passes, sort_passes(body_[id]));
    if (body_[id].opcode == ir::Opcode::concatenate && id == body_.root && concatenates_tiles(body_[id], body_)) {
      work_.serial_transfers += std::int64_t(body_[id].operands.size());  // the end of the op waits for the last
    }
    if (body_[id].opcode == ir::Opcode::gather || body_[id].opcode == ir::Opcode::scatter) add_indexed_rows(body_[id]);
  }

  /// Adds the rows of a table that a gather reads or a scatter updates.
  void add_indexed_rows(const ir::Instruction& instruction) {
    const ir::Shape& table = body_[instruction.operands[0]].shape;
    if (instruction.opcode == ir::Opcode::gather) {
      if (is_element(instruction.slice_sizes)) {
        work_.cross_lane_ops += element_operations * slices_of(instruction, instruction.shape);
      }
      if (is_resident(table)) return add_resident_rows(instruction, table);
      merge(work_.gathered, indexed_rows(table, instruction.slice_sizes, slices_of(instruction, instruction.shape),
                                         machine_.dram.organization.burst));
    } else {
      const std::size_t tables = instruction.operands.size() / 2;
      const ir::Shape& updates = body_[instruction.operands[tables + 1]].shape;
      const std::vector<std::int64_t> sizes = updated_window(instruction, table, updates);
      merge(work_.updated,
            indexed_rows(table, sizes, slices_of(instruction, updates), machine_.dram.organization.burst));
    }
  }

  static bool is_element(const std::vector<std::int64_t>& sizes) {
    return std::ranges::all_of(sizes, [](std::int64_t size) { return size == 1; });
  }

  /// Adds the loads and stores that copy rows within VMEM.
  void add_resident_rows(const ir::Instruction& gather, const ir::Shape& table) {
    const IndexedRows rows =
        indexed_rows(table, gather.slice_sizes, slices_of(gather, gather.shape), machine_.dram.organization.burst);
    const std::int64_t copied = registers_moved(base::Bytes(std::max<std::int64_t>(1, rows.piece.value())));
    work_.epilogue.loads += (rows.shares_words ? 2 : 1) * rows.pieces * copied;
    work_.epilogue.stores += rows.pieces * copied;
  }

  /// Adds rows of several gathers in one op; the larger piece size applies to all.
  static void merge(IndexedRows& sum, const IndexedRows& rows) {
    sum = {sum.slices + rows.slices, sum.pieces + rows.pieces, std::max(sum.piece, rows.piece),
           std::max(sum.span, rows.span), sum.shares_words || rows.shares_words};
  }

  /// Number of slices: elements of a result or of updates over the dimensions that are not within a slice.
  static std::int64_t slices_of(const ir::Instruction& instruction, const ir::Shape& slices) {
    std::int64_t count = slices.element_count();
    for (int dimension : instruction.gather->offset) count /= std::max<std::int64_t>(1, slices.dimensions[dimension]);
    return count;
  }

  /// Sizes of a scatter's slice in every dimension of its table.
  static std::vector<std::int64_t> updated_window(const ir::Instruction& scatter, const ir::Shape& table,
                                                  const ir::Shape& updates) {
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
  void add_writes(ir::InstructionId id) {
    const ir::Instruction& instruction = body_[id];
    if (instruction.opcode == ir::Opcode::tuple) {
      for (ir::InstructionId element : instruction.operands) add_writes(element);
      return;
    }
    const base::Bytes bytes = bytes_written(instruction);
    work_.epilogue.stores += registers_moved(bytes);
    if (instruction.opcode == ir::Opcode::scatter) work_.table_bytes += bytes;
    if (instruction.shape.memory_space == 0) work_.written_bytes += bytes;
  }

  base::Bytes bytes_written(const ir::Instruction& instruction) const {
    const bool updates =
        instruction.opcode == ir::Opcode::scatter || instruction.opcode == ir::Opcode::dynamic_update_slice;
    if (!updates || body_[instruction.operands[0]].opcode != ir::Opcode::parameter) {
      return ir::padded_bytes(instruction.shape);
    }
    if (instruction.opcode == ir::Opcode::scatter) return base::Bytes(0);
    return ir::padded_bytes(body_[instruction.operands[1]].shape);
  }

  /// The streamed operand enters as rows with the contraction in the lanes. If it has the other orientation in memory
  /// (weight gradients: channels in the lanes, batch and space contracted), the XLU transposes it first.
  void add_operand_transpose() {
    const ir::Instruction& hero = body_[hero_];
    if (hero.opcode != ir::Opcode::convolution || work_.matmul->row_operand != 0) return;
    const ir::Shape& rows = body_[hero.operands[0]].shape;
    if (rows.minor_dimension(0) == hero.convolution->input_feature || as_batched_product(hero, rows)) return;
    work_.cross_lane_ops += registers_moved(ir::padded_bytes(rows));
  }

  const ir::Computation& body_;
  const hw::Machine& machine_;
  std::vector<std::vector<ir::InstructionId>> users_;
  ir::InstructionId hero_ = -1;
  std::vector<bool> row_side_, lane_side_;
  std::int64_t small_registers_ = 0;
  OpWork work_;
};

/// A bare instruction as the body of a fusion; an operand that it names twice becomes one parameter.
ir::Computation wrap(const ir::Computation& computation, ir::InstructionId id) {
  ir::Computation body;
  ir::Instruction copy = computation[id];
  std::map<ir::InstructionId, ir::InstructionId> parameters;
  for (ir::InstructionId& operand : copy.operands) {
    auto [known, added] = parameters.try_emplace(operand, ir::InstructionId(body.instructions.size()));
    if (!added) {
      operand = known->second;
      continue;
    }
    ir::Instruction parameter;
    parameter.opcode = ir::Opcode::parameter;
    parameter.shape = computation[operand].shape;
    parameter.index = std::int64_t(body.parameters.size());
    operand = known->second;
    body.parameters.push_back(operand);
    body.instructions.push_back(std::move(parameter));
  }
  body.root = ir::InstructionId(body.instructions.size());
  body.instructions.push_back(std::move(copy));
  return body;
}

/// Sets the memory space of a parameter or a result to that of the op's caller.
void place(ir::Computation& body, ir::InstructionId id, const ir::Shape& shape) {
  body[id].shape.memory_space = shape.memory_space;
  if (body[id].opcode != ir::Opcode::tuple) return;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const ir::InstructionId element = body[id].operands[i];
    if (body[element].opcode != ir::Opcode::parameter) place(body, element, shape.tuple_shapes[i]);
  }
}

/// Returns whether place() would change nothing.
bool is_placed(const ir::Computation& body, ir::InstructionId id, const ir::Shape& shape) {
  if (body[id].shape.memory_space != shape.memory_space) return false;
  if (body[id].opcode != ir::Opcode::tuple) return true;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const ir::InstructionId element = body[id].operands[i];
    if (body[element].opcode != ir::Opcode::parameter && !is_placed(body, element, shape.tuple_shapes[i])) return false;
  }
  return true;
}

/// Returns whether the body of a fusion can be analysed unchanged: its parameters come first, there is nothing to
/// inline, and every array has the memory space of the caller.
bool is_plain(const ir::Computation& body, const ir::Computation& computation, const ir::Instruction& fusion) {
  for (ir::InstructionId id = 0; id < ir::InstructionId(body.instructions.size()); ++id) {
    const ir::Opcode opcode = body[id].opcode;
    const bool first = id < ir::InstructionId(body.parameters.size());
    if (first != (opcode == ir::Opcode::parameter) || (first && (body[id].index != id || body.parameters[id] != id))) {
      return false;
    }
    if (opcode == ir::Opcode::fusion || opcode == ir::Opcode::call || opcode == ir::Opcode::get_tuple_element)
      return false;
    if (first && !is_placed(body, id, computation[fusion.operands[id]].shape)) return false;
  }
  return is_placed(body, body.root, fusion.shape);
}

}  // namespace

OpWork op_work(const ir::Module& module, const ir::Computation& computation, ir::InstructionId id,
               const hw::Machine& machine) {
  const ir::Instruction& instruction = computation[id];
  if (instruction.opcode == ir::Opcode::fusion) {
    const ir::Computation& body = module.computations[instruction.called.front()];
    if (is_plain(body, computation, instruction)) return Analysis(body, machine).run();
  }
  ir::Computation body = instruction.opcode == ir::Opcode::fusion
                             ? fuse::inline_fusions(module, module.computations[instruction.called.front()])
                             : wrap(computation, id);
  if (instruction.opcode == ir::Opcode::fusion) {
    for (std::size_t i = 0; i < body.parameters.size(); ++i) {
      place(body, body.parameters[i], computation[instruction.operands[i]].shape);
    }
  }
  place(body, body.root, instruction.shape);
  return Analysis(body, machine).run();
}

bool keeps_places(const ir::Computation& computation, ir::InstructionId id) {
  const ir::Instruction& move = computation[id];
  if (move.opcode == ir::Opcode::reshape) {
    return ir::is_renaming(computation[move.operands.front()].shape, move.shape);
  }
  if (move.opcode != ir::Opcode::transpose) return false;
  const ir::Shape& operand = computation[move.operands.front()].shape;
  if (operand.memory_space != move.shape.memory_space || operand.tile != move.shape.tile) return false;
  for (int i = 0; i < operand.rank(); ++i) {
    if (move.dimensions[std::size_t(move.shape.minor_dimension(i))] != operand.minor_dimension(i)) return false;
  }
  return true;
}

bool is_core_op(const ir::Computation& computation, ir::InstructionId id) {
  const ir::Instruction& instruction = computation[id];
  const bool may_be_one = is_core_op(instruction) || instruction.opcode == ir::Opcode::reshape;
  return may_be_one && ir::logical_bytes(instruction.shape) > base::Bytes(0) && !keeps_places(computation, id);
}

bool is_core_op(const ir::Instruction& instruction) {
  if (ir::is_collective(instruction.opcode)) return false;
  switch (instruction.opcode) {
    // Names of existing values.
    case ir::Opcode::parameter:
    case ir::Opcode::constant:
    case ir::Opcode::tuple:
    case ir::Opcode::get_tuple_element:
    case ir::Opcode::reshape:
    case ir::Opcode::bitcast:
    case ir::Opcode::opt_barrier:
    case ir::Opcode::after_all:
    case ir::Opcode::add_dependency:
    case ir::Opcode::domain:
    case ir::Opcode::partition_id:
    case ir::Opcode::replica_id:
    case ir::Opcode::get_dimension_size:
    case ir::Opcode::set_dimension_size:
    // Operations of the host and of other programs.
    case ir::Opcode::infeed:
    case ir::Opcode::outfeed:
    case ir::Opcode::send_done:
    case ir::Opcode::recv_done:
    // Control flow.
    case ir::Opcode::while_loop:
    case ir::Opcode::conditional:
    case ir::Opcode::call:
      return false;
    default:
      return true;
  }
}

namespace {

std::string fusion_category(const ir::Instruction& fusion, const ir::Computation& body) {
  const auto holds = [&](auto matches) {
    return std::ranges::any_of(body.instructions, matches, &ir::Instruction::opcode);
  };
  if (holds(ir::transform::is_matmul)) return "convolution fusion";
  switch (fusion.fusion_kind) {
    case ir::FusionKind::custom:
      if (holds([](ir::Opcode opcode) { return opcode == ir::Opcode::gather; })) return "gather fusion";
      if (holds([](ir::Opcode opcode) { return opcode == ir::Opcode::scatter; })) return "scatter fusion";
      return "custom fusion";
    case ir::FusionKind::input:
      return "input fusion";
    case ir::FusionKind::output:
      return "output fusion";
    case ir::FusionKind::loop:
      return "loop fusion";
  }
  return "";
}

}  // namespace

std::string category_of(const ir::Module& module, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::fusion:
      if (instruction.phase == ir::AsyncPhase::done) return "async-done";
      return fusion_category(instruction, module.computations[instruction.called.front()]);
    case ir::Opcode::convolution:
    case ir::Opcode::dot:
      return "convolution";
    case ir::Opcode::copy:
    case ir::Opcode::transpose:
    case ir::Opcode::reshape:
    case ir::Opcode::dynamic_reshape:
      return "data formatting";
    default:
      return ir::is_elementwise(instruction.opcode) ? "non-fusion elementwise"
                                                    : std::string(ir::to_string(instruction.opcode));
  }
}

}  // namespace podsim::sw::compiler::tiles
