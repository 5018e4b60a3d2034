// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/vector_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/units.h"
#include "hlo/array_tile.h"
#include "hlo/renaming.h"
#include "sw/compiler/tiles/elementwise_cost.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// Random bits come from a generator on vector registers, with three shifts and three exclusive ors as in a xorshift
/// generator. With the four operations that XLA counts for each bit of a dropout mask, that is the 5.0 cycles for 1024
/// numbers measured on TPU v3. A number between 0 and 1 takes exponent and mantissa, a subtraction, scale and offset.
constexpr std::int64_t random_bits = 6;
constexpr std::int64_t random_number = random_bits + 5;

/// Cost per register of the result.
ElementwiseCost cost_per_register(const hlo::Instruction& instruction, const hlo::Computation& computation) {
  switch (instruction.opcode) {
    case hlo::Opcode::convert:
      return {instruction.shape.element_type == computation[instruction.operands[0]].shape.element_type ? 0 : 1, 0};
    case hlo::Opcode::pad:
      return {2, 0};
    case hlo::Opcode::iota:
      return {1, 0};
    case hlo::Opcode::rng:
      return {hlo::is_floating_point(instruction.shape.element_type) ? random_number : random_bits, 0};
    case hlo::Opcode::rng_bit_generator:
      return {random_bits, 0};
    default:
      return hlo::is_elementwise(instruction.opcode) ? elementwise_cost(instruction.opcode) : ElementwiseCost{};
  }
}

/// ALU operations of a bitonic exchange for every operand: a comparison, a select, and the other select of the pair.
constexpr std::int64_t exchange_cycles = 3;

const hlo::Shape& first_array(const hlo::Shape& shape) {
  return shape.is_tuple() ? first_array(shape.tuple_shapes[0]) : shape;
}

std::int64_t sorted_length(const hlo::Instruction& sort) {
  const hlo::Shape& shape = first_array(sort.shape);
  const std::size_t along = sort.dimensions.empty() ? shape.dimensions.size() - 1 : std::size_t(sort.dimensions[0]);
  return shape.dimensions.empty() ? 1 : std::max<std::int64_t>(1, shape.dimensions[along]);
}

/// True if elements move within registers. A sort along a major dimension moves whole registers.
bool sorts_lanes(const hlo::Instruction& sort) {
  const hlo::Shape& shape = first_array(sort.shape);
  const int along = sort.dimensions.empty() ? shape.rank() - 1 : int(sort.dimensions[0]);
  return shape.rank() < 3 || along == shape.minor_dimension(0) || along == shape.minor_dimension(1);
}

/// Registers of an array between whose sublanes or lanes elements move. Each holds one layout tile: one of fewer rows
/// than a register has sublanes leaves the others empty.
std::int64_t tile_registers(const hlo::Shape& shape, const VectorUnit& unit) {
  const std::int64_t registers = vector_registers(shape, unit);
  return shape.rank() < 2 ? registers : registers * std::max<std::int64_t>(1, unit.sublanes / hlo::tile_rows(shape));
}

/// Registers of a sorted array, whose sorted dimension grows to a power of two. A vector is dense in registers.
std::int64_t sorted_registers(const hlo::Shape& shape, std::int64_t along, const VectorUnit& unit) {
  if (shape.rank() == 0) return 1;
  hlo::Shape padded = shape;
  std::int64_t& size = padded.dimensions[std::size_t(along)];
  size = std::int64_t(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(1, size))));
  return shape.rank() == 1 ? base::divide_round_up(size, unit.register_elements()) : tile_registers(padded, unit);
}

std::int64_t sorted_registers(const hlo::Instruction& sort, const hlo::Computation& computation,
                              const VectorUnit& unit) {
  std::int64_t registers = 0;
  for (hlo::InstructionId operand : sort.operands) {
    const hlo::Shape& shape = computation[operand].shape;
    registers += sorted_registers(shape, sort.dimensions.empty() ? shape.rank() - 1 : sort.dimensions[0], unit);
  }
  return registers;
}

std::int64_t arrays_elements(const hlo::Shape& shape) {
  std::int64_t count = shape.is_tuple() ? 0 : shape.element_count();
  for (const hlo::Shape& element : shape.tuple_shapes) count += arrays_elements(element);
  return count;
}

std::int64_t lane_reduction_cost(const hlo::Instruction& reduce, const hlo::Shape& input, const VectorUnit& unit) {
  if (input.rank() == 0) return 0;
  const int lane = input.minor_dimension(0);
  if (std::ranges::find(reduce.dimensions, lane) == reduce.dimensions.end()) return 0;
  // Registers are added over the other dimensions first. What remains is folded register by register: as many rows
  // as it has sublanes if they are kept, else one.
  const std::int64_t results = arrays_elements(reduce.shape);
  const std::int64_t sublanes = input.rank() > 1 ? input.minor_dimension(1) : lane;
  const bool keeps_sublanes = std::ranges::find(reduce.dimensions, sublanes) == reduce.dimensions.end();
  const std::int64_t rows = keeps_sublanes ? std::max<std::int64_t>(1, input.dimensions[std::size_t(sublanes)]) : 1;
  return results / rows * base::divide_round_up(rows, unit.sublanes);
}

/// A slice that begins within a register of lanes is rotated to the first one. A single lane is brought there like an
/// element of a gather: rotated, broadcast and rotated.
std::int64_t lane_slice_cost(const hlo::Instruction& slice, const hlo::Shape& operand, const VectorUnit& unit) {
  if (operand.rank() == 0 || slice.slice.size() != operand.dimensions.size()) return 0;
  const auto lane = std::size_t(operand.minor_dimension(0));
  if (slice.slice[lane].start % unit.lanes == 0) return 0;
  return vector_registers(slice.shape, unit) * (slice.shape.dimensions[lane] == 1 ? 3 : 1);
}

/// Only a dimension that is in the lanes of the operand but not in those of the result has to move, and only if it has
/// more than one element. Rows of a register's sublanes or more move eight elements at a time. A shorter row moves by
/// itself like an element of a gather: it is rotated, broadcast and rotated.
std::int64_t lane_broadcast_cost(const hlo::Instruction& broadcast, const hlo::Shape& operand, const VectorUnit& unit) {
  if (operand.rank() == 0 || broadcast.dimensions.size() != operand.dimensions.size()) return 0;
  const int lane = operand.minor_dimension(0);
  const auto becomes = int(broadcast.dimensions[std::size_t(lane)]);
  const std::int64_t row = operand.dimensions[std::size_t(lane)];
  if (row == 1 || becomes == broadcast.shape.minor_dimension(0)) return 0;
  if (row < unit.sublanes) return 3 * operand.element_count() / std::max<std::int64_t>(1, row);
  return base::divide_round_up(operand.element_count(), unit.sublanes);
}

/// The dimension of the operand that is `i`-th most minor in the result.
int source_dimension(const hlo::Instruction& move, int i) {
  const int dimension = move.shape.minor_dimension(i);
  return move.opcode == hlo::Opcode::transpose ? int(move.dimensions[std::size_t(dimension)]) : dimension;
}

/// Rows of up to a register's lanes that an op moves one by one in the vector unit. Rows of whole words that keep their
/// lanes are not among them: they move by DMA.
struct RowMoves {
  std::int64_t rotated = 0;  ///< to other lanes, in the cross-lane unit, which passes a row in a cycle
  std::int64_t paired = 0;   ///< into words that they share with another row that moves with them
  std::int64_t merged = 0;   ///< into words that they share with another row, which is loaded and kept
};

/// A row between other lanes is rotated, masked and selected, and so is one of two rows that share words. Rows that
/// only change sublanes are combined in a register; rows that enter or leave a transposed block have their partner
/// elsewhere.
hw::VectorWork vector_work(const RowMoves& rows, const CompilerParameters& compiler) {
  const std::int64_t all = rows.rotated + rows.paired + rows.merged;
  return {
      .loads = all + rows.merged, .stores = all, .alu_ops = compiler.moved_row_operations * all, .transcendentals = 0};
}

/// Blocks of up to lanes x lanes elements of an array that exchange rows of `from` lanes for rows of `to`.
std::int64_t transposed_blocks(const hlo::Shape& array, std::int64_t from, std::int64_t to, std::int64_t lanes) {
  return base::divide_round_up(array.element_count(), std::max<std::int64_t>(1, from * to)) *
         base::divide_round_up(from, lanes) * base::divide_round_up(to, lanes);
}

bool is_narrow(const hlo::Shape& shape) { return hlo::byte_width(shape.element_type) < 4; }

/// What a transpose or copy to another layout moves: registers through the cross-lane unit if the lanes become another
/// dimension, rows if only the sublanes do.
struct Relayout {
  std::int64_t registers = 0;
  RowMoves rows;
};

/// Pieces of up to `lanes` lanes of the rows of an array.
std::int64_t row_pieces(const hlo::Shape& shape, std::int64_t lanes) {
  const std::int64_t row = shape.dimensions[std::size_t(shape.minor_dimension(0))];
  return shape.element_count() / std::max<std::int64_t>(1, row) * base::divide_round_up(row, lanes);
}

std::int64_t row_length(const hlo::Shape& shape) {
  return shape.rank() == 0 ? 1 : shape.dimensions[std::size_t(shape.minor_dimension(0))];
}

/// The cross-lane unit transposes a block of lanes x lanes words, 128 x 128 as 16 registers, however much of it is
/// filled; elements of 16 bits are transposed in pairs. It exchanges lanes and sublanes. If the new lanes are a major
/// dimension and the old ones do not become the sublanes, the sublanes have to change before and after it. Registers of
/// narrow elements are unpacked to words before it and packed after it, in which the unit waits
/// (compiler.packing_share).
Relayout transposed(const hlo::Shape& operand, const hlo::Shape& result, bool sublanes_change,
                    const TargetMachine& machine) {
  const VectorUnit& unit = machine.vector;
  const std::int64_t blocks = transposed_blocks(operand, row_length(operand), row_length(result), unit.lanes);
  const std::int64_t of_blocks =
      base::divide_round_up(blocks * unit.lanes, unit.sublanes * (is_narrow(operand) ? 2 : 1));
  const std::int64_t registers = std::max({tile_registers(operand, unit), tile_registers(result, unit), of_blocks});
  const bool packs = is_narrow(operand) || is_narrow(result);
  const std::int64_t packing = packs ? std::int64_t(std::ceil(double(registers) * machine.compiler.packing_share)) : 0;
  return {.registers = registers + packing,
          .rows = {.rotated = 0,
                   .paired = 0,
                   .merged = sublanes_change && is_narrow(operand)
                                 ? row_pieces(operand, unit.lanes) + row_pieces(result, unit.lanes)
                                 : 0}};
}

Relayout relayout(const hlo::Instruction& move, const hlo::Shape& operand, const TargetMachine& machine) {
  if (move.shape.is_tuple() || operand.rank() < 2 || operand.rank() != move.shape.rank()) return {};
  const int lanes = operand.minor_dimension(0), sublanes = operand.minor_dimension(1);
  const int new_lanes = source_dimension(move, 0), new_sublanes = source_dimension(move, 1);
  if (lanes != new_lanes) {
    return transposed(operand, move.shape, new_lanes != sublanes && new_sublanes != lanes, machine);
  }
  if (sublanes == new_sublanes) return {};
  const std::int64_t paired = is_narrow(operand) ? row_pieces(operand, machine.vector.lanes) : 0;
  return {.registers = 0, .rows = {.rotated = 0, .paired = paired, .merged = 0}};
}

/// Row pieces that a reshape moves to other lanes. Rows of n elements lie in longer ones at multiples of n, so that
/// some of them cross from one register to the next.
std::int64_t rotated_rows(const hlo::Shape& operand, const hlo::Shape& result, std::int64_t lanes) {
  const auto [row, longer] = std::minmax({row_length(operand), row_length(result)});
  const std::int64_t elements = operand.element_count();
  if (elements == 0 || row == longer || row % lanes == 0) return 0;
  const std::int64_t pieces = base::divide_round_up(row, lanes);
  const std::int64_t crossings = elements / longer * base::divide_round_up(longer, lanes);
  // Crossings between two rows are not counted twice: every `period` rows one begins with a register.
  const std::int64_t period = lanes / std::gcd(row, lanes);
  const std::int64_t aligned =
      elements / longer * base::divide_round_up(std::max<std::int64_t>(1, longer / row), period);
  return elements / row * pieces + crossings - std::min(crossings, aligned * pieces);
}

/// Sublanes of a register over those that a layout tile of the array fills. Reshapes rotate registers of the array with
/// the longer rows; they move the rows of one tile at a time.
std::int64_t registers_per_full_one(const hlo::Shape& operand, const hlo::Shape& result, const VectorUnit& unit) {
  const hlo::Shape& longer = row_length(operand) > row_length(result) ? operand : result;
  return longer.rank() < 2 ? 1 : std::max<std::int64_t>(1, unit.sublanes / hlo::tile_rows(longer));
}

/// What a reshape moves. Its lanes stay, in rows of another length, or they become another dimension or a part of one.
Relayout reshaped(const hlo::Shape& operand, const hlo::Shape& result, const TargetMachine& machine) {
  if (hlo::is_renaming(operand, result)) return {};
  if (!hlo::keeps_lanes(operand, result)) {
    const bool sublanes_change = hlo::neighbour_distance(result, 0) != hlo::neighbour_distance(operand, 1) &&
                                 hlo::neighbour_distance(result, 1) != hlo::neighbour_distance(operand, 0);
    return transposed(operand, result, sublanes_change, machine);
  }
  const std::int64_t rotated =
      rotated_rows(operand, result, machine.vector.lanes) * registers_per_full_one(operand, result, machine.vector);
  return {.registers = base::divide_round_up(rotated, machine.vector.sublanes),
          .rows = {.rotated = rotated, .paired = 0, .merged = 0}};
}

/// What an instruction moves to other lanes or sublanes.
Relayout relayout_of(const hlo::Instruction& instruction, const hlo::Computation& computation,
                     const TargetMachine& machine) {
  const hlo::Shape& operand = computation[instruction.operands[0]].shape;
  return instruction.opcode == hlo::Opcode::reshape ? reshaped(operand, instruction.shape, machine)
                                                    : relayout(instruction, operand, machine);
}

bool all_multiples(const hlo::Instruction& concatenate, const hlo::Computation& computation, int dimension,
                   std::int64_t of) {
  return std::ranges::all_of(concatenate.operands, [&](hlo::InstructionId operand) {
    return computation[operand].shape.dimensions[std::size_t(dimension)] % of == 0;
  });
}

std::int64_t window_taps(const hlo::Instruction& instruction) {
  std::int64_t taps = 1;
  for (const hlo::WindowDimension& d : instruction.window) taps *= d.size;
  return taps;
}

/// Both passes of select-and-scatter, per tap of a window. The first pass finds the selected position: compare, keep
/// the value. The second adds the source there: select, add, with the read-modify-write of the result. For every
/// dimension of the window, a position is limited to bounds (compare, select), kept, compared again and combined with
/// the others. Narrow values that the lanes do not compute in are widened twice and rounded once.
hw::VectorWork select_and_scatter_cost(const hlo::Instruction& instruction, const hlo::Computation& computation,
                                       const VectorUnit& unit) {
  const std::int64_t per_lane = elements_per_lane(instruction, computation, unit);
  const std::int64_t taps =
      vector_registers(computation[instruction.operands[1]].shape, unit, per_lane) * window_taps(instruction);
  const auto moving =
      std::ranges::count_if(instruction.window, [](const hlo::WindowDimension& d) { return d.size > 1; });
  const std::int64_t narrow = per_lane == 1 && is_narrow(instruction.shape) ? 3 : 0;
  return {.loads = 4 * taps, .stores = 2 * taps, .alu_ops = (4 + 5 * moving + narrow) * taps, .transcendentals = 0};
}

}  // namespace

std::int64_t vector_registers(const hlo::Shape& shape, const VectorUnit& unit, std::int64_t per_lane) {
  const int bits = hlo::element_types()[std::size_t(shape.element_type)].bits;
  const std::int64_t elements = hlo::padded_bytes(shape).value() * 8 / std::max(1, bits);
  return base::divide_round_up(elements, unit.register_elements() * per_lane);
}

std::int64_t registers_of_tiles(std::int64_t tiles, const VectorUnit& unit) {
  return base::divide_round_up(tiles * hlo::tile_sublanes * hlo::tile_lanes, unit.register_elements());
}

std::int64_t elements_per_lane(const hlo::Instruction& instruction, const hlo::Computation& computation,
                               const VectorUnit& unit) {
  if (unit.types != hw::parts::vector::LaneTypes::words_and_bf16) return 1;
  bool any = false;
  const auto packs = [&any](const hlo::Shape& shape) {
    if (shape.is_tuple()) return false;
    any |= shape.element_type == hlo::ElementType::bf16;
    return shape.element_type == hlo::ElementType::bf16 || shape.element_type == hlo::ElementType::pred;
  };
  if (!packs(instruction.shape)) return 1;
  const bool all = std::ranges::all_of(instruction.operands,
                                       [&](hlo::InstructionId operand) { return packs(computation[operand].shape); });
  return all && any ? 2 : 1;
}

hw::VectorWork vector_cost(const hlo::Instruction& instruction, const hlo::Computation& computation,
                           const TargetMachine& machine) {
  const VectorUnit& unit = machine.vector;
  const auto registers_of = [&](const hlo::Shape& shape) {
    return vector_registers(shape, unit, elements_per_lane(instruction, computation, unit));
  };
  switch (instruction.opcode) {
    case hlo::Opcode::reduce:
      return {.loads = 0,
              .stores = 0,
              .alu_ops = registers_of(computation[instruction.operands[0]].shape),
              .transcendentals = 0};
    case hlo::Opcode::reduce_window: {
      std::int64_t taps = registers_of(instruction.shape) * window_taps(instruction);
      return {.loads = taps, .stores = 0, .alu_ops = taps, .transcendentals = 0};
    }
    case hlo::Opcode::select_and_scatter:
      return select_and_scatter_cost(instruction, computation, unit);
    case hlo::Opcode::sort:
      return {.loads = 0,
              .stores = 0,
              .alu_ops = exchange_cycles * sort_passes(instruction) * sorted_registers(instruction, computation, unit),
              .transcendentals = 0};
    case hlo::Opcode::transpose:
    case hlo::Opcode::copy:
    case hlo::Opcode::reshape:
      return vector_work(relayout_of(instruction, computation, machine).rows, machine.compiler);
    default: {
      const ElementwiseCost cost = cost_per_register(instruction, computation);
      if (cost.alu == 0 && cost.transcendental == 0) return {};
      std::int64_t registers = registers_of(instruction.shape);
      return {
          .loads = 0, .stores = 0, .alu_ops = cost.alu * registers, .transcendentals = cost.transcendental * registers};
    }
  }
}

std::int64_t lane_moves_of(const hlo::Instruction& instruction, const hlo::Computation& computation,
                           const TargetMachine& machine) {
  const VectorUnit& unit = machine.vector;
  switch (instruction.opcode) {
    case hlo::Opcode::transpose:
    case hlo::Opcode::copy:
    case hlo::Opcode::reshape:
      return relayout_of(instruction, computation, machine).registers;
    case hlo::Opcode::reduce:
      return lane_reduction_cost(instruction, computation[instruction.operands[0]].shape, unit);
    case hlo::Opcode::slice:
      return lane_slice_cost(instruction, computation[instruction.operands[0]].shape, unit);
    case hlo::Opcode::broadcast:
      return lane_broadcast_cost(instruction, computation[instruction.operands[0]].shape, unit);
    case hlo::Opcode::concatenate:
      return concatenates_tiles(instruction, computation) ? 0 : vector_registers(instruction.shape, unit);
    case hlo::Opcode::sort:
      return sorts_lanes(instruction) ? sort_passes(instruction) * sorted_registers(instruction, computation, unit) : 0;
    default:
      return 0;
  }
}

std::int64_t sort_passes(const hlo::Instruction& instruction) {
  const std::int64_t bits = std::int64_t(std::bit_width(std::uint64_t(sorted_length(instruction) - 1)));
  return std::max<std::int64_t>(1, bits * (bits + 1) / 2);
}

bool concatenates_tiles(const hlo::Instruction& instruction, const hlo::Computation& computation) {
  if (instruction.shape.rank() == 0 || instruction.dimensions.empty()) return true;
  const int along = int(instruction.dimensions.front());
  if (along == instruction.shape.minor_dimension(0))
    return all_multiples(instruction, computation, along, hlo::tile_lanes);
  if (instruction.shape.rank() == 1 || along != instruction.shape.minor_dimension(1)) return true;
  return all_multiples(instruction, computation, along, hlo::tile_sublanes);
}

}  // namespace podsim::sw::compiler::tiles
