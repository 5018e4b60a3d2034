// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/costs/custom_price.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/text/glob.h"
#include "hlo/array_tile.h"
#include "hlo/transform/flops.h"

namespace podsim::sw::compiler::costs {

namespace {

/// Adds the sizes of an array to those known; false if the pattern is of another array.
bool match_array(const ShapePattern& pattern, const hlo::Shape& shape, Sizes& sizes) {
  const std::vector<std::string>& words = pattern.dimensions;
  if (words == std::vector<std::string>{"*"}) return true;
  if (shape.is_tuple() || words.size() != shape.dimensions.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto size = double(shape.dimensions[i]);
    if (word == "_") continue;
    if (word.front() >= '0' && word.front() <= '9') {
      std::int64_t number = 0;
      std::from_chars(word.data(), word.data() + word.size(), number);
      if (double(number) != size) return false;
    } else if (const auto [known, added] = sizes.try_emplace(word, size); !added && known->second != size) {
      return false;
    }
  }
  return true;
}

bool match_arrays(const std::vector<ShapePattern>& patterns, const std::vector<const hlo::Shape*>& shapes,
                  Sizes& sizes) {
  if (patterns.size() != shapes.size()) return false;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!match_array(patterns[i], *shapes[i], sizes)) return false;
  }
  return true;
}

double bytes_of(const std::vector<const hlo::Shape*>& shapes) {
  double bytes = 0;
  for (const hlo::Shape* shape : shapes) bytes += double(hlo::logical_bytes(*shape).value());
  return bytes;
}

/// What an op does in all, before it is divided into tiles.
struct Totals {
  double reads = 0, writes = 0;  ///< bytes
  double row_passes = 0;         ///< rows through one weight tile
  double alu_ops = 0;            ///< on whole registers
  double custom_work = 0;        ///< of the registered unit
};

class Division {
 public:
  Division(const Totals& totals, const TargetMachine& machine, const std::string& name)
      : totals_(totals), machine_(machine), name_(name) {}

  /// The op in this many tiles.
  hw::TileOp into(std::int64_t parts) const {
    hw::TileWork tile;
    const base::Bytes read = part_bytes(totals_.reads, parts), written = part_bytes(totals_.writes, parts);
    if (read > base::Bytes(0)) tile.reads.push_back({read});
    if (written > base::Bytes(0)) tile.writes.push_back({written});
    hw::TilePhase phase;
    if (totals_.row_passes > 0) {
      phase.of<hw::Mxu>() = {.weight_tiles = machine_.mxu.count,
                             .rows = part(totals_.row_passes / double(machine_.mxu.count), parts)};
    }
    phase.of<hw::Vector>().alu_ops = part(totals_.alu_ops, parts);
    phase.of<hw::Custom>().amount = part(totals_.custom_work, parts);
    tile.phases.push_back(phase);

    hw::TileOp op;
    op.name = name_;
    op.vmem = 2 * (read + written);
    if (parts > 1) op.runs.push_back({parts - 1, tile});
    hw::TilePhase launch;
    launch.of<hw::Scalar>().cycles = machine_.compiler.op_launch;
    tile.phases.push_back(launch);
    op.runs.insert(op.runs.begin(), {1, std::move(tile)});
    return op;
  }

 private:
  static std::int64_t part(double whole, std::int64_t parts) { return std::int64_t(std::ceil(whole / double(parts))); }
  static base::Bytes part_bytes(double whole, std::int64_t parts) { return base::Bytes(part(whole, parts)); }

  const Totals& totals_;
  const TargetMachine& machine_;
  const std::string& name_;
};

/// The op divided into the number of tiles, a power of two, that takes the least time. The tiles fit VMEM.
hw::TileOp divided(const Totals& totals, const TargetMachine& machine, const std::string& name,
                   const std::function<base::Cycles(const hw::TileOp& op)>& estimate) {
  constexpr std::int64_t max_doublings = 8;
  const Division division(totals, machine, name);
  std::int64_t parts = 1;
  while (2 * (totals.reads + totals.writes) / double(parts) > double(machine.vmem.value())) parts *= 2;
  hw::TileOp best = division.into(parts);
  base::Cycles least = estimate(best);
  for (std::int64_t doublings = 0; doublings < max_doublings; ++doublings) {
    parts *= 2;
    hw::TileOp more = division.into(parts);
    const base::Cycles cycles = estimate(more);
    if (cycles >= least) break;
    least = cycles;
    best = std::move(more);
  }
  return best;
}

PricedOp kernel_op(const CustomPrice& price, const Sizes& sizes, const TargetMachine& machine) {
  codegen::families::KernelArguments arguments;
  for (const codegen::families::KernelParameter& parameter : price.kernel->parameters) {
    std::string value = parameter.preset;
    if (const auto given = price.arguments.find(parameter.name); given != price.arguments.end()) {
      const auto* expression = std::get_if<SizeExpression>(&given->second);
      value = expression != nullptr ? std::to_string(expression->whole(sizes, parameter.least, parameter.most))
                                    : std::get<std::string>(given->second);
    }
    arguments.values.emplace(parameter.name, std::move(value));
  }
  try {
    codegen::families::Kernel kernel = price.kernel->build(machine, arguments);
    return {std::move(kernel.tile_op), kernel.flops(), hlo::transform::product_flops(kernel.op), base::Bytes(0)};
  } catch (const base::InputError& error) {
    base::Diagnostic diagnostic = error.diagnostics().front();
    diagnostic.location = price.place;
    throw base::InputError(std::move(diagnostic));
  }
}

/// What a price may say: a terabyte, a quarter of an hour, and some days of the matrix units.
constexpr double max_bytes = 1e12, max_cycles = 1e12, max_flops = 1e18;

double value_of(const std::optional<SizeExpression>& expression, const Sizes& sizes) {
  return expression ? expression->value(sizes, max_flops) : 0;
}

}  // namespace

bool CustomPrice::is_for(const hlo::Instruction& call) const {
  return call.opcode == hlo::Opcode::custom_call && base::text::glob_match(target, call.target) &&
         (op_name.empty() || base::text::glob_match(op_name, call.op_name));
}

std::optional<Sizes> CustomPrice::match(const hlo::Computation& computation, const hlo::Instruction& call) const {
  if (!is_for(call)) return std::nullopt;
  std::vector<const hlo::Shape*> arrays, made;
  for (const hlo::InstructionId operand : call.operands) arrays.push_back(&computation[operand].shape);
  if (call.shape.is_tuple()) {
    for (const hlo::Shape& element : call.shape.tuple_shapes) made.push_back(&element);
  } else {
    made.push_back(&call.shape);
  }
  Sizes sizes;
  if (operands && !match_arrays(*operands, arrays, sizes)) return std::nullopt;
  if (results && !match_arrays(*results, made, sizes)) return std::nullopt;
  sizes["operand_bytes"] = bytes_of(arrays);
  sizes["result_bytes"] = bytes_of(made);
  return sizes;
}

PricedOp priced_op(const CustomPrice& price, const Sizes& sizes, base::Bytes reads, base::Bytes writes,
                   const TargetMachine& machine, const std::string& name,
                   const std::function<base::Cycles(const hw::TileOp& op)>& estimate) {
  const base::Bytes moved = reads + writes;
  if (price.kernel != nullptr) {
    PricedOp priced = kernel_op(price, sizes, machine);
    priced.tiles.name = name;
    for (const hw::TileRun& run : priced.tiles.runs) {
      for (const hw::TileTransfer& read : run.work.reads) priced.bytes += run.count * read.bytes;
      for (const hw::TileTransfer& write : run.work.writes) priced.bytes += run.count * write.bytes;
    }
    return priced;
  }
  if (price.cycles) {
    hw::TilePhase phase;
    phase.of<hw::Scalar>().cycles = base::Cycles(std::llround(price.cycles->value(sizes, max_cycles)));
    PricedOp priced;
    priced.tiles.name = name;
    priced.tiles.runs.push_back({1, {{}, {phase}, {}}});
    priced.bytes = moved;
    return priced;
  }
  const double products = value_of(price.flops, sizes), vector = value_of(price.vector_flops, sizes);
  const double bytes = price.bytes ? price.bytes->value(sizes, max_bytes) : double(moved.value());
  const double read_share = moved > base::Bytes(0) ? double(reads.value()) / double(moved.value()) : 1;
  Totals totals;
  totals.reads = bytes * read_share;
  totals.writes = bytes - totals.reads;
  totals.row_passes = products / 2 / double(machine.mxu.size * machine.mxu.size);
  totals.alu_ops = vector / double(machine.vector.register_elements());
  totals.custom_work = price.custom_work ? price.custom_work->value(sizes, max_cycles) : 0;
  return {divided(totals, machine, name, estimate), products + vector, products, base::Bytes(std::llround(bytes))};
}

}  // namespace podsim::sw::compiler::costs
