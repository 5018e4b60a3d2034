// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sw/compiler/inline_fusions.h"
#include "sw/compiler/separate_loops.h"
#include "sw/compiler/vector_cost.h"
#include "sw/graph/flops.h"

namespace podsim::sw {
namespace {

constexpr base::Bytes kSmallArray{64 * 1024};
constexpr base::Bytes kRegisterBytes{4096};

/// Rounded up per array: a register holds 1024 f32 or 2048 bf16.
std::int64_t registers_moved(base::Bytes bytes) { return base::divide_round_up(bytes.value(), kRegisterBytes.value()); }

hw::VectorWork& operator+=(hw::VectorWork& sum, const hw::VectorWork& other) {
  sum.loads += other.loads;
  sum.stores += other.stores;
  sum.alu_ops += other.alu_ops;
  sum.transcendentals += other.transcendentals;
  return sum;
}

std::vector<bool> ancestors(const Computation& body, InstructionId id) {
  std::vector<bool> found(body.instructions.size(), false);
  found[id] = true;
  for (InstructionId at = id; at >= 0; --at) {
    if (!found[at]) continue;
    for (InstructionId operand : body[at].operands) found[operand] = true;
  }
  return found;
}

/// Works out one body: a fusion's computation, or a bare instruction wrapped as one.
class Analysis {
 public:
  Analysis(const Computation& body, const hw::Machine& machine)
      : body_(body), machine_(machine), users_(users_of(body)) {
    for (InstructionId id = 0; id < InstructionId(body.instructions.size()); ++id) {
      if (is_matmul(body[id].opcode)) hero_ = id;
    }
  }

  OpWork run() {
    if (hero_ >= 0) find_sides();
    for (InstructionId id = 0; id < InstructionId(body_.instructions.size()); ++id) {
      if (body_[id].opcode == Opcode::parameter) {
        add_read(id);
      } else if (is_matmul(body_[id].opcode)) {
        if (id != hero_) work_.earlier_matmuls.push_back(problem_of(body_[id]));
      } else if (body_[id].opcode != Opcode::tuple) {
        add_arithmetic(id);
      }
    }
    add_writes(body_.root);
    if (hero_ >= 0) add_operand_transpose();
    if (hero_ < 0) add_loops();
    return work_;
  }

 private:
  MatmulProblem problem_of(const Instruction& matmul) const {
    return matmul_problem(matmul, body_[matmul.operands[0]].shape, body_[matmul.operands[1]].shape, machine_.mxu.size);
  }

  void find_sides() {
    const Instruction& hero = body_[hero_];
    work_.matmul = problem_of(hero);
    row_side_ = ancestors(body_, hero.operands[work_.matmul->row_operand]);
    lane_side_ = ancestors(body_, hero.operands[work_.matmul->lane_operand]);
  }

  bool on_row_side(InstructionId id) const { return hero_ >= 0 && row_side_[id]; }
  bool on_lane_side(InstructionId id) const { return hero_ >= 0 && lane_side_[id]; }

  /// What `user` reads of an array that it need not read as a whole; nothing otherwise.
  std::optional<base::Bytes> part_read(InstructionId array, InstructionId user) const {
    const Instruction& reader = body_[user];
    const bool indexed =
        reader.operands.front() == array && std::count(reader.operands.begin(), reader.operands.end(), array) == 1;
    switch (reader.opcode) {
      case Opcode::slice:
        return padded_bytes(reader.shape);
      case Opcode::dynamic_slice:
        return indexed ? std::optional(padded_bytes(reader.shape)) : std::nullopt;
      case Opcode::dynamic_update_slice:
      case Opcode::gather:
      case Opcode::scatter:
        // Rows are counted apart; what is not updated stays in place.
        return indexed ? std::optional(base::Bytes(0)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  base::Bytes bytes_read(InstructionId parameter) const {
    base::Bytes whole = padded_bytes(body_[parameter].shape);
    const auto& users = users_[parameter];
    std::optional<base::Bytes> parts = users.empty() ? std::nullopt : std::optional(base::Bytes(0));
    for (InstructionId user : users) {
      const std::optional<base::Bytes> part = part_read(parameter, user);
      parts = parts && part ? std::optional(*parts + *part) : std::nullopt;
    }
    if (parts) return std::min(whole, *parts);
    if (hero_ >= 0 && body_[hero_].opcode == Opcode::convolution && feeds_input(parameter)) {
      return base::Bytes(
          std::int64_t(double(whole.value()) * input_share_read(body_[hero_], body_[body_[hero_].operands[0]].shape)));
    }
    return whole;
  }

  bool feeds_input(InstructionId id) const {
    return work_.matmul->row_operand == 0 ? on_row_side(id) && !on_lane_side(id) : on_lane_side(id) && !on_row_side(id);
  }

  void add_read(InstructionId id) {
    base::Bytes bytes = bytes_read(id);
    if (body_[id].shape.memory_space != 0) {
      add_loads(id, bytes);
    } else if (bytes < kSmallArray) {
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

  /// Loops that share nothing begin one after the other, each with its own arrays.
  void add_loops() {
    const auto is_moved = [&](InstructionId id) {
      return is_array(body_[id].shape) && body_[id].shape.memory_space == 0;
    };
    const Instruction& root = body_[body_.root];
    std::int64_t arrays = std::ranges::count_if(body_.parameters, is_moved);
    if (root.opcode == Opcode::tuple) arrays += std::ranges::count_if(root.operands, is_moved);
    work_.loops = separate_loops(body_);
    work_.loop_arrays = arrays - arrays / work_.loops;
    if (work_.small_bytes < machine_.compiler.least_tile) return;
    work_.output_side_bytes += std::exchange(work_.small_bytes, base::Bytes(0));
    work_.epilogue.loads += small_registers_;
  }

  /// Of an array that is in VMEM already.
  void add_loads(InstructionId id, base::Bytes bytes) {
    hw::VectorWork& side = on_row_side(id)    ? work_.row_prologue
                           : on_lane_side(id) ? work_.lane_prologue
                                              : work_.epilogue;
    side.loads += registers_moved(bytes);
  }

  /// The MXU rounds its operands itself: a conversion that only feeds it costs nothing.
  bool is_rounding_on_entry(InstructionId id) const {
    return hero_ >= 0 && body_[id].opcode == Opcode::convert && users_[id].size() == 1 && users_[id].front() == hero_;
  }

  void add_arithmetic(InstructionId id) {
    if (is_rounding_on_entry(id)) return;
    hw::VectorWork cost = vector_cost(body_[id], body_);
    const std::int64_t relayouts = cross_lane_cost(body_[id], body_);
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
    if (body_[id].opcode == Opcode::sort) work_.passes = std::max(work_.passes, sort_passes(body_[id]));
    if (body_[id].opcode == Opcode::concatenate && id == body_.root && concatenates_tiles(body_[id], body_)) {
      work_.serial_transfers += std::int64_t(body_[id].operands.size()) - 1;
    }
    if (body_[id].opcode == Opcode::gather || body_[id].opcode == Opcode::scatter) add_indexed_rows(body_[id]);
  }

  /// A table that is gathered from or scattered into, once for all who do so in this op.
  void add_indexed_rows(const Instruction& instruction) {
    const Shape& table = body_[instruction.operands[0]].shape;
    if (instruction.opcode == Opcode::gather) {
      merge(work_.gathered, indexed_rows(table, instruction.slice_sizes, slices_of(instruction, instruction.shape)));
    } else {
      const std::size_t tables = instruction.operands.size() / 2;
      const Shape& updates = body_[instruction.operands[tables + 1]].shape;
      const std::vector<std::int64_t> sizes = updated_window(instruction, table, updates);
      merge(work_.updated, indexed_rows(table, sizes, slices_of(instruction, updates)));
    }
  }

  /// Several gathers in one op: their pieces are taken to be as large as the largest.
  static void merge(IndexedRows& sum, const IndexedRows& rows) {
    sum = {sum.slices + rows.slices, sum.pieces + rows.pieces, std::max(sum.piece, rows.piece),
           std::max(sum.span, rows.span)};
  }

  /// How many slices there are: the elements of a result or of updates whose dimensions are not within a slice.
  static std::int64_t slices_of(const Instruction& instruction, const Shape& slices) {
    std::int64_t count = slices.element_count();
    for (int dimension : instruction.gather.offset) count /= std::max<std::int64_t>(1, slices.dimensions[dimension]);
    return count;
  }

  /// Sizes of a scatter's slice in every dimension of its table.
  static std::vector<std::int64_t> updated_window(const Instruction& scatter, const Shape& table,
                                                  const Shape& updates) {
    std::vector<std::int64_t> sizes(table.dimensions.size(), 1);
    std::size_t next = 0;
    for (int i = 0; i < table.rank(); ++i) {
      const bool dropped = std::ranges::count(scatter.gather.collapsed, i) > 0 ||
                           std::ranges::count(scatter.gather.operand_batching, i) > 0;
      if (!dropped) sizes[i] = updates.dimensions[scatter.gather.offset[next++]];
    }
    return sizes;
  }

  /// The result is written as a whole, but for what lies in an operand's place and is updated there.
  void add_writes(InstructionId id) {
    const Instruction& instruction = body_[id];
    if (instruction.opcode == Opcode::tuple) {
      for (InstructionId element : instruction.operands) add_writes(element);
      return;
    }
    const base::Bytes bytes = bytes_written(instruction);
    work_.epilogue.stores += registers_moved(bytes);
    if (instruction.shape.memory_space == 0) work_.written_bytes += bytes;
  }

  base::Bytes bytes_written(const Instruction& instruction) const {
    const bool updates = instruction.opcode == Opcode::scatter || instruction.opcode == Opcode::dynamic_update_slice;
    if (!updates || body_[instruction.operands[0]].opcode != Opcode::parameter) {
      return padded_bytes(instruction.shape);
    }
    if (instruction.opcode == Opcode::scatter) return base::Bytes(0);
    return padded_bytes(body_[instruction.operands[1]].shape);
  }

  /// The streamed operand goes in as rows with the contraction in the lanes; where memory holds it the other way round
  /// (weight gradients: channels in the lanes, batch and space contracted) the XLU transposes it on the way.
  void add_operand_transpose() {
    const Instruction& hero = body_[hero_];
    if (hero.opcode != Opcode::convolution || work_.matmul->row_operand != 0) return;
    const Shape& rows = body_[hero.operands[0]].shape;
    if (rows.minor_dimension(0) == hero.convolution.input_feature) return;
    work_.cross_lane_ops += registers_moved(padded_bytes(rows));
  }

  const Computation& body_;
  const hw::Machine& machine_;
  std::vector<std::vector<InstructionId>> users_;
  InstructionId hero_ = -1;
  std::vector<bool> row_side_, lane_side_;
  std::int64_t small_registers_ = 0;
  OpWork work_;
};

/// A bare instruction as the body of a fusion of one; an operand that it names twice is one parameter.
Computation wrap(const Computation& computation, InstructionId id) {
  Computation body;
  Instruction copy = computation[id];
  std::map<InstructionId, InstructionId> parameters;
  for (InstructionId& operand : copy.operands) {
    auto [known, added] = parameters.try_emplace(operand, InstructionId(body.instructions.size()));
    if (!added) {
      operand = known->second;
      continue;
    }
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.shape = computation[operand].shape;
    parameter.index = std::int64_t(body.parameters.size());
    operand = known->second;
    body.parameters.push_back(operand);
    body.instructions.push_back(std::move(parameter));
  }
  body.root = InstructionId(body.instructions.size());
  body.instructions.push_back(std::move(copy));
  return body;
}

/// The memory in which a parameter or a result is, as the op's caller has it.
void place(Computation& body, InstructionId id, const Shape& shape) {
  body[id].shape.memory_space = shape.memory_space;
  if (body[id].opcode != Opcode::tuple) return;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const InstructionId element = body[id].operands[i];
    if (body[element].opcode != Opcode::parameter) place(body, element, shape.tuple_shapes[i]);
  }
}

/// Whether place() would change nothing.
bool is_placed(const Computation& body, InstructionId id, const Shape& shape) {
  if (body[id].shape.memory_space != shape.memory_space) return false;
  if (body[id].opcode != Opcode::tuple) return true;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const InstructionId element = body[id].operands[i];
    if (body[element].opcode != Opcode::parameter && !is_placed(body, element, shape.tuple_shapes[i])) return false;
  }
  return true;
}

/// Whether the body of a fusion can be looked at as it stands: its parameters come first, there is nothing in it to be
/// written out, and every array is in the memory in which the caller has it.
bool is_plain(const Computation& body, const Computation& computation, const Instruction& fusion) {
  for (InstructionId id = 0; id < InstructionId(body.instructions.size()); ++id) {
    const Opcode opcode = body[id].opcode;
    const bool first = id < InstructionId(body.parameters.size());
    if (first != (opcode == Opcode::parameter) || (first && (body[id].index != id || body.parameters[id] != id))) {
      return false;
    }
    if (opcode == Opcode::fusion || opcode == Opcode::call || opcode == Opcode::get_tuple_element) return false;
    if (first && !is_placed(body, id, computation[fusion.operands[id]].shape)) return false;
  }
  return is_placed(body, body.root, fusion.shape);
}

}  // namespace

OpWork op_work(const Module& module, const Computation& computation, InstructionId id, const hw::Machine& machine) {
  const Instruction& instruction = computation[id];
  if (instruction.opcode == Opcode::fusion) {
    const Computation& body = module.computations[instruction.called.front()];
    if (is_plain(body, computation, instruction)) return Analysis(body, machine).run();
  }
  Computation body = instruction.opcode == Opcode::fusion
                         ? inline_fusions(module, module.computations[instruction.called.front()])
                         : wrap(computation, id);
  if (instruction.opcode == Opcode::fusion) {
    for (std::size_t i = 0; i < body.parameters.size(); ++i) {
      place(body, body.parameters[i], computation[instruction.operands[i]].shape);
    }
  }
  place(body, body.root, instruction.shape);
  return Analysis(body, machine).run();
}

bool is_core_op(const Instruction& instruction) {
  if (is_collective(instruction.opcode)) return false;
  switch (instruction.opcode) {
    // Names for what is there.
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::tuple:
    case Opcode::get_tuple_element:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::opt_barrier:
    case Opcode::after_all:
    case Opcode::add_dependency:
    case Opcode::domain:
    case Opcode::partition_id:
    case Opcode::replica_id:
    case Opcode::get_dimension_size:
    case Opcode::set_dimension_size:
    // The host's and other programs'.
    case Opcode::infeed:
    case Opcode::outfeed:
    case Opcode::send_done:
    case Opcode::recv_done:
    // Control.
    case Opcode::while_loop:
    case Opcode::conditional:
    case Opcode::call:
      return false;
    default:
      return true;
  }
}

namespace {

std::string fusion_category(const Instruction& fusion, const Computation& body) {
  const auto holds = [&](auto matches) {
    return std::ranges::any_of(body.instructions, matches, &Instruction::opcode);
  };
  if (holds(is_matmul)) return "convolution fusion";
  switch (fusion.fusion_kind) {
    case FusionKind::custom:
      if (holds([](Opcode opcode) { return opcode == Opcode::gather; })) return "gather fusion";
      if (holds([](Opcode opcode) { return opcode == Opcode::scatter; })) return "scatter fusion";
      return "custom fusion";
    case FusionKind::input:
      return "input fusion";
    case FusionKind::output:
      return "output fusion";
    case FusionKind::loop:
      return "loop fusion";
  }
  return "";
}

}  // namespace

std::string category_of(const Module& module, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::fusion:
      if (instruction.phase == AsyncPhase::done) return "async-done";
      return fusion_category(instruction, module.computations[instruction.called.front()]);
    case Opcode::convolution:
    case Opcode::dot:
      return "convolution";
    case Opcode::copy:
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::dynamic_reshape:
      return "data formatting";
    default:
      return is_elementwise(instruction.opcode) ? "non-fusion elementwise" : std::string(to_string(instruction.opcode));
  }
}

}  // namespace podsim::sw
