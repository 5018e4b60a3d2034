// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/fusion_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_plan.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/register_stream.h"
#include "sw/codegen/fusion/no_code.h"
#include "sw/codegen/fusion/op_module.h"
#include "sw/codegen/fusion/operations.h"
#include "sw/codegen/fusion/sweep_code.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::codegen::fusion {

namespace {

using Id = hlo::InstructionId;

/// The largest number of registers of an iteration, the first of which that has code is taken: a body of many values
/// has registers for few elements only.
constexpr std::int64_t unit_sizes[] = {8, 4, 2, 1};

constexpr int resident_flag = 0, stored_flag = 1, first_stream_flag = 2;

base::Bytes bytes_of(const hlo::Shape& shape) { return base::Bytes(std::int64_t(4 * families::array_words(shape))); }

hlo::Shape as_words(hlo::Shape shape) {
  shape.element_type = held(shape.element_type) == Held::floats ? hlo::ElementType::f32 : hlo::ElementType::s32;
  return shape;
}

/// A parameter or result in HBM has to be of a type that kernels have arrays of.
void check_array_in_hbm(const hlo::Shape& shape) {
  if (shape.is_tuple()) throw NoCode("tuple", "a tuple among the arrays");
  const hlo::ElementType type = shape.element_type;
  if (type != hlo::ElementType::f32 && type != hlo::ElementType::bf16 && type != hlo::ElementType::s32 &&
      type != hlo::ElementType::u32) {
    throw NoCode("type", "an array of " + hlo::to_string(type) + " in HBM");
  }
  if (shape.element_count() == 0) throw NoCode("type", "an empty array");
}

/// How a sweep's registers are divided among tiles.
struct Division {
  std::int64_t tiles = 1, units = 1;  ///< units of a tile; the last may have fewer
};

/// The next number of tiles that has the same number of units in all, if it is not twice as large.
Division division(std::int64_t units, std::int64_t tiles) {
  tiles = std::clamp<std::int64_t>(tiles, 1, units);
  for (std::int64_t even = tiles; even < 2 * tiles; ++even) {
    if (units % even == 0) return {even, units / even};
  }
  const std::int64_t each = base::divide_round_up(units, tiles);
  return {base::divide_round_up(units, each), each};
}

/// Builds one kernel, with units of at most `most` registers.
class FusionBuilder {
 public:
  FusionBuilder(const TargetMachine& machine, families::Kernel& kernel, const std::vector<Sweep>& sweeps,
                std::int64_t tiles, std::int64_t most)
      : machine_(machine),
        kernel_(kernel),
        body_(kernel.reference.entry_computation()),
        results_(results_of(body_)),
        sweeps_(sweeps),
        tiles_(tiles),
        builder_(machine, kernel.name) {
    for (const Sweep& sweep : sweeps_) units_.push_back(unit_of(sweep, most));
  }

  void build() {
    choose_streams();
    place_residents();
    divisions_.resize(sweeps_.size());
    load_residents();
    write_sweeps();
    kernel_.tile_op.name = kernel_.name;
    count_sweeps();
    store_results();
    kernel_.program = std::move(builder_).finish();
  }

  double rounding_steps() const { return steps_; }

 private:
  const families::KernelArray& input_of(Id parameter) const {
    return kernel_.inputs[std::size_t(body_[parameter].index)];
  }
  const hlo::Shape& result_shape(int number) const { return body_[results_[std::size_t(number)]].shape; }

  bool streams_over(const Sweep& sweep) const {
    base::Bytes moved;
    for (const Id id : sweep.whole_parameters) {
      if (!resident_.contains(id)) moved += bytes_of(body_[id].shape);
    }
    for (const int number : sweep.results) moved += bytes_of(result_shape(number));
    return moved > machine_.compiler.small_operand;
  }

  /// Arrays stay in VMEM if a sweep reads them other than register by register, or if they are small.
  void choose_streams() {
    for (const Sweep& sweep : sweeps_) {
      for (const Id id : sweep.other_parameters) {
        if (body_[id].opcode == hlo::Opcode::parameter) resident_.insert(id);
      }
    }
    streams_.resize(sweeps_.size());
    for (const Sweep& sweep : sweeps_) {
      if (!streams_over(sweep)) resident_.insert(sweep.whole_parameters.begin(), sweep.whole_parameters.end());
    }
    for (std::size_t i = 0; i < sweeps_.size(); ++i) {
      if (!streams_over(sweeps_[i])) continue;
      for (const Id id : sweeps_[i].whole_parameters) {
        if (!resident_.contains(id)) streams_[i].inputs.push_back(id);
      }
      streams_[i].results = sweeps_[i].results;
    }
  }

  VmemArray placed(const hlo::Shape& shape) {
    const auto rows = base::divide_round_up(std::int64_t(families::array_words(shape)), builder::row_words);
    if (rows > builder_.vmem_rows_free())
      throw NoCode("vmem", "arrays that stay in VMEM, and a core has " + base::to_string(machine_.vmem) + " of it");
    return {shape, builder_.vmem_rows(rows)};
  }

  void place_residents() {
    for (const Id id : resident_) residents_.values[id] = placed(body_[id].shape);
    for (std::size_t i = 0; i < sweeps_.size(); ++i) {
      for (const Id id : sweeps_[i].kept) residents_.values[id] = placed(as_words(body_[id].shape));
      for (const Id id : sweeps_[i].reductions) residents_.values[id] = placed(as_words(body_[id].shape));
      if (streams_[i].any()) continue;
      for (const int number : sweeps_[i].results) residents_.results[number] = placed(result_shape(number));
    }
    for (int number = 0; number < int(results_.size()); ++number) {
      if (!is_written_by_sweep(number))
        residents_.results[number] = residents_.values.at(results_[std::size_t(number)]);
    }
  }

  /// False for a result that is a reduction as sweeps keep it.
  bool is_written_by_sweep(int number) const {
    return std::ranges::any_of(
        sweeps_, [&](const Sweep& sweep) { return std::ranges::find(sweep.results, number) != sweep.results.end(); });
  }

  hw::isa::DmaDescriptor whole_array(const families::KernelArray& array, const VmemArray& vmem, bool to_vmem) const {
    hw::isa::DmaDescriptor dma;
    const std::uint32_t row = std::uint32_t(vmem.at.row) * std::uint32_t(builder::row_words);
    dma.route = to_vmem ? hw::isa::DmaRoute::hbm_to_vmem : hw::isa::DmaRoute::vmem_to_hbm;
    dma.flag = to_vmem ? resident_flag : stored_flag;
    dma.source = to_vmem ? array.address : row;
    dma.destination = to_vmem ? row : array.address;
    dma.words = std::uint32_t(families::array_words(array.shape));
    return dma;
  }

  /// Starts the reads of the arrays that stay in VMEM.
  void load_residents() {
    builder_.mark("load");
    for (const Id id : resident_) {
      const families::KernelArray& input = input_of(id);
      builder_.dma(builder_.descriptor(whole_array(input, residents_.values.at(id), true), input.name));
      resident_reads_.push_back({bytes_of(input.shape)});
    }
    waits_for_residents_ = !resident_.empty();
  }

  void wait_for_residents() {
    if (waits_for_residents_) builder_.sync_wait(resident_flag, std::int32_t(resident_.size()));
    waits_for_residents_ = false;
  }

  /// Writes all sweeps. Those over arrays in VMEM are written where they have to be done, so that the first tiles of
  /// the next sweep over tiles are read meanwhile.
  void write_sweeps() {
    for (std::size_t i = 0; i < sweeps_.size(); ++i) {
      if (streams_[i].any()) {
        write_tiles(i);
      } else {
        waiting_.push_back(i);
      }
    }
    write_waiting();
  }

  void write_waiting() {
    wait_for_residents();
    builder_.mark("compute");
    for (const std::size_t i : std::exchange(waiting_, {})) {
      const SweepCode code = code_of(i);
      if (code.scratch_rows() > builder_.vmem_rows_free())
        throw NoCode("vmem", "a reduction whose sums do not fit into VMEM");
      code.write(builder_);
    }
  }

  void store_results() {
    builder_.mark("store");
    hw::TileWork writes;
    for (const auto& [number, array] : residents_.results) {
      const families::KernelArray& output = kernel_.outputs[std::size_t(number)];
      builder_.dma(builder_.descriptor(whole_array(output, array, false), output.name));
      writes.writes.push_back({bytes_of(output.shape)});
    }
    if (residents_.results.empty()) return;
    builder_.sync_wait(stored_flag, std::int32_t(residents_.results.size()));
    add_work(std::move(writes));
  }

  SweepCode code_of(std::size_t i) {
    SweepCode code(kernel_.reference, sweeps_[i], units_[i], streams_[i], residents_);
    steps_ = std::max(steps_, code.rounding_steps());
    return code;
  }

  /// Adds a tile of its own for work on arrays that stay in VMEM.
  void add_work(hw::TileWork work) { kernel_.tile_op.runs.push_back({1, std::move(work)}); }

  /// Counts the work for the tile level.
  void count_sweeps() {
    hw::TileWork before;
    before.reads = std::exchange(resident_reads_, {});
    for (std::size_t i = 0; i < sweeps_.size(); ++i) {
      const SweepCode code = code_of(i);
      if (!streams_[i].any()) before.phases.push_back(builder::times(code.units(), code.work_of_unit(machine_)));
      if (streams_[i].any()) {
        if (!before.reads.empty() || !before.phases.empty()) add_work(std::exchange(before, {}));
        count_tiles(i, code);
      }
      if (!sweeps_[i].reductions.empty()) before.phases.push_back(code.work_of_reductions(machine_));
    }
    if (!before.reads.empty() || !before.phases.empty()) add_work(std::move(before));
  }

  void count_tiles(std::size_t i, const SweepCode& code) {
    const hw::TilePhase unit = code.work_of_unit(machine_);
    const Division& chosen = divisions_[i];
    const hw::TileOp op =
        builder::make_tile_op(plan_of(i, chosen), kernel_.name, [&](std::span<const std::int64_t> tile) {
          const std::int64_t units = std::min(chosen.units, code.units() - tile[0] * chosen.units);
          return std::vector<hw::TilePhase>{builder::times(units, unit)};
        });
    kernel_.tile_op.runs.insert(kernel_.tile_op.runs.end(), op.runs.begin(), op.runs.end());
  }

  void write_tiles(std::size_t i) {
    const SweepCode code = code_of(i);
    std::int64_t scratch = code.scratch_rows();
    for (const std::size_t before : waiting_) scratch += code_of(before).scratch_rows();
    const std::int64_t free = builder_.vmem_rows_free();
    Division chosen = division(code.units(), tiles_);
    while (plan_of(i, chosen).vmem_rows() + scratch > free) {
      if (chosen.units == 1) throw NoCode("vmem", "a tile of one iteration does not fit into VMEM");
      chosen = division(code.units(), 2 * chosen.tiles);
    }
    divisions_[i] = chosen;
    const builder::TilePlan plan = plan_of(i, chosen);
    code.write(builder_, plan, chosen.units, first_stream_flag, [&] { write_waiting(); });
    for (int flag = 0; flag < 2 * int(plan.streams.size()); ++flag) builder_.sync_set(first_stream_flag + flag, 0);
    const std::int64_t unused = free - plan.vmem_rows() - scratch;
    kernel_.tile_op.vmem =
        std::max(kernel_.tile_op.vmem, machine_.vmem - base::Bytes(unused * builder::vmem_row_bytes));
    builder_.free_vmem(free);
    builder_.fence();  // other buffers may have these rows from now on
  }

  builder::TilePlan plan_of(std::size_t i, const Division& division) const {
    builder::TilePlan plan;
    plan.counts = {division.tiles};
    const std::int64_t registers = sweeps_[i].space.registers(), in_tile = division.units * units_[i].registers();
    const auto add = [&](const families::KernelArray& array, builder::TileRole role) {
      plan.streams.push_back(families::register_stream(array, role, in_tile, registers));
    };
    for (const Id id : streams_[i].inputs) add(input_of(id), builder::TileRole::input);
    for (const int number : streams_[i].results) add(kernel_.outputs[std::size_t(number)], builder::TileRole::output);
    return plan;
  }

  const TargetMachine& machine_;
  families::Kernel& kernel_;
  const hlo::Computation& body_;
  std::vector<Id> results_;
  const std::vector<Sweep>& sweeps_;
  std::int64_t tiles_;
  builder::KernelBuilder builder_;
  std::vector<Unit> units_;
  std::vector<SweepStreams> streams_;
  std::set<Id> resident_;
  Residents residents_;
  std::vector<Division> divisions_;
  std::vector<std::size_t> waiting_;  ///< sweeps over arrays in VMEM that are still to be written
  std::vector<hw::TileTransfer> resident_reads_;
  bool waits_for_residents_ = false;
  double steps_ = 0;
};

void place_arrays(const TargetMachine& machine, families::Kernel& kernel) {
  const hlo::Computation& body = kernel.reference.entry_computation();
  families::ArrayAllocator places(machine);
  for (const Id parameter : body.parameters) {
    kernel.inputs.push_back(places.place(body[parameter].name, body[parameter].shape));
  }
  const std::vector<Id> results = results_of(body);
  for (std::size_t i = 0; i < results.size(); ++i) {
    kernel.outputs.push_back(
        places.place(results.size() == 1 ? "result" : fmt::format("result.{}", i), body[results[i]].shape));
  }
}

std::vector<Sweep> checked_sweeps(const hlo::Module& alone) {
  const hlo::Computation& body = alone.entry_computation();
  for (const Id parameter : body.parameters) check_array_in_hbm(body[parameter].shape);
  for (const Id result : results_of(body)) check_array_in_hbm(body[result].shape);
  return sweeps_of(alone);
}

std::string passes_of(const std::vector<Sweep>& sweeps) {
  return sweeps.size() == 1
             ? "one sweep: read every input once, write the results once"
             : fmt::format("{} sweeps; an array that is not small is read by each that needs it", sweeps.size());
}

/// Generates the program with the largest units for which there are registers.
void write_program(const TargetMachine& machine, families::Kernel& kernel, const std::vector<Sweep>& sweeps,
                   std::int64_t tiles) {
  for (const std::int64_t most : unit_sizes) {
    families::Kernel attempt = kernel;
    FusionBuilder builder(machine, attempt, sweeps, tiles, most);
    try {
      builder.build();
    } catch (const base::SimulationError&) {
      continue;
    } catch (const NoCode&) {
      throw;
    } catch (const base::InputError& limit) {
      throw NoCode("machine", limit.diagnostics().front().message);
    }
    attempt.rounding_steps = std::max(attempt.rounding_steps, builder.rounding_steps());
    kernel = std::move(attempt);
    return;
  }
  throw NoCode("registers", "more values at one time than the machine has registers");
}

families::Kernel kernel_of(const TargetMachine& machine, hlo::Module alone, const compiler::tiles::OpWork& work) {
  families::Kernel kernel;
  kernel.name = alone.name;
  kernel.reference = std::move(alone);
  kernel.op = kernel.reference;
  const std::vector<Sweep> sweeps = checked_sweeps(kernel.reference);
  place_arrays(machine, kernel);
  for (const hlo::Instruction& instruction : kernel.reference.entry_computation().instructions)
    kernel.rounding_steps = std::max(kernel.rounding_steps, rounding_steps(instruction.opcode));
  kernel.passes = passes_of(sweeps);
  write_program(machine, kernel, sweeps, compiler::tiles::choose_tiling(work, machine, kernel.name).tiles());
  return kernel;
}

}  // namespace

families::Kernel build_fusion(const TargetMachine& machine, const hlo::Module& module,
                              const hlo::Computation& computation, hlo::InstructionId id) {
  return kernel_of(machine, op_module(module, computation, id),
                   compiler::tiles::op_work(module, computation, id, machine));
}

families::Kernel build_fusion(const TargetMachine& machine, const hlo::Module& body) {
  return kernel_of(machine, body, families::work_of_op(body, machine));
}

void check_fusion(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id) {
  static_cast<void>(checked_sweeps(op_module(module, computation, id)));
}

}  // namespace podsim::sw::codegen::fusion
