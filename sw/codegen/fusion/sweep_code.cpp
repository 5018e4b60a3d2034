// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/sweep_code.h"

#include <algorithm>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/fusion/op_module.h"
#include "sw/codegen/fusion/operations.h"

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

namespace {

/// The largest divisor of `count` up to `most`; an even one if `even` and there is one of at least half of `most`.
std::int64_t divisor(std::int64_t count, std::int64_t most, bool even) {
  std::int64_t best = 1;
  for (std::int64_t d = std::min(count, most); d > 1; --d) {
    if (count % d != 0) continue;
    if (best == 1) best = d;
    if (!even) return d;
    if (d % 2 == 0 && 2 * d >= most) return d;
  }
  return best;
}

/// The type in which an array that sweeps keep has its words.
hlo::ElementType word_type(hlo::ElementType type) {
  return held(type) == Held::floats ? hlo::ElementType::f32 : hlo::ElementType::s32;
}

}  // namespace

Unit unit_of(const Sweep& sweep, std::int64_t most) {
  const families::ArrayTiles& tiles = sweep.space.tiles;
  if (!sweep.reduces_rows && tiles.lane_tiles > most) return {1, divisor(tiles.lane_tiles, most, true)};
  return {divisor(tiles.row_tiles, std::max<std::int64_t>(1, most / tiles.lane_tiles), tiles.lane_tiles % 2 != 0),
          tiles.lane_tiles};
}

SweepCode::SweepCode(const hlo::Module& module, const Sweep& sweep, const Unit& unit, const SweepStreams& streams,
                     const Residents& residents)
    : module_(module),
      body_(module.entry_computation()),
      sweep_(sweep),
      unit_(unit),
      streams_(streams),
      residents_(residents),
      result_ids_(results_of(body_)) {}

std::vector<Accumulators> SweepCode::accumulators() const {
  std::vector<Accumulators> all;
  for (const hlo::InstructionId id : sweep_.reductions) all.emplace_back(module_, id, sweep_.space);
  return all;
}

double SweepCode::rounding_steps() const {
  // A row adds up its registers, then the lanes of their sum.
  double most = sweep_.reduces_rows ? double(sweep_.space.tiles.lane_tiles) + tree_steps : 0;
  for (const Accumulators& reduction : accumulators()) most = std::max(most, reduction.rounding_steps());
  return most;
}

Invariants SweepCode::invariants(builder::KernelBuilder& builder) const {
  Invariants values;
  const Sources scalars = sources({});
  const Position anywhere{0, 0, std::vector<registers::ScalarOperand>(std::size_t(sweep_.space.planes()), 0)};
  const Columns none;
  UnitCode code(builder, module_, sweep_.space, unit_, anywhere, scalars, none, values);
  // Ids ascend from operands to users, so that every value finds its operands.
  for (const hlo::InstructionId id : sweep_.scalars) {
    const Value value = code.value(id, {}, {});
    values.emplace(id, value);
  }
  return values;
}

Sources SweepCode::sources(const Addresses& at) const {
  Sources sources;
  for (const hlo::InstructionId id : sweep_.other_parameters) sources[id] = {residents_.values.at(id), std::nullopt};
  for (const auto& [id, address] : at.whole) sources[id] = {residents_.values.at(id), address};
  for (std::size_t i = 0; i < at.inputs.size(); ++i) {
    const hlo::InstructionId id = streams_.inputs[i];
    sources[id] = {{body_[id].shape, {}}, at.inputs[i]};
  }
  return sources;
}

SweepCode::Addresses SweepCode::resident_addresses(builder::KernelBuilder& builder,
                                                   registers::ScalarOperand units_before) const {
  Addresses at;
  const auto now = [&](const VmemArray& array) {
    const registers::ScalarOperand rows =
        builder::product(builder, units_before, rows_of_unit(array.shape.element_type));
    const registers::ScalarReg first = builder.op(Isa::s_add, builder::in_register(builder, rows), array.at.row);
    return registers::RowAddress{first, 0, array.at.buffer};
  };
  for (const hlo::InstructionId id : sweep_.whole_parameters) {
    const auto found = residents_.values.find(id);
    if (found != residents_.values.end()) at.whole[id] = now(found->second);
  }
  for (const hlo::InstructionId id : sweep_.kept) at.kept[id] = now(residents_.values.at(id));
  for (const int number : sweep_.results) {
    const auto found = residents_.results.find(number);
    if (found != residents_.results.end()) at.whole_results[number] = now(found->second);
  }
  return at;
}

std::int32_t SweepCode::rows_of_unit(hlo::ElementType type) const {
  return std::int32_t(unit_.registers() * builder::tile_rows(type));
}

void SweepCode::advance(builder::KernelBuilder& builder, const Addresses& at) const {
  const auto move = [&](const registers::RowAddress& address, hlo::ElementType type) {
    builder.assign(address.base, Isa::s_add, address.base, rows_of_unit(type));
  };
  for (std::size_t i = 0; i < at.inputs.size(); ++i) move(at.inputs[i], body_[streams_.inputs[i]].shape.element_type);
  const auto result_type = [&](int number) { return body_[result_ids_[std::size_t(number)]].shape.element_type; };
  for (std::size_t i = 0; i < at.results.size(); ++i) move(at.results[i], result_type(streams_.results[i]));
  for (const auto& [id, address] : at.whole) move(address, body_[id].shape.element_type);
  for (const auto& [id, address] : at.kept) move(address, word_type(body_[id].shape.element_type));
  for (const auto& [number, address] : at.whole_results) move(address, result_type(number));
}

void SweepCode::store(builder::KernelBuilder& builder, UnitCode& code, hlo::InstructionId id, hlo::ElementType type,
                      registers::RowAddress at) const {
  const Axes axes = identity(sweep_.space);
  const bool packed = type == hlo::ElementType::bf16;
  const auto word_of = [&](std::int64_t number) {
    const UnitRegister here{number / unit_.lane_tiles, number % unit_.lane_tiles};
    const Value value = packed ? code.before_rounding(id, axes, here) : code.value(id, axes, here);
    if (body_[id].shape.element_type != hlo::ElementType::pred) return in_vector(builder, value);
    return builder.op(Isa::v_select, builder.unary(Isa::v_mov, registers::VectorOperand::bits(1)),
                      registers::VectorOperand::bits(0), in_mask(builder, value));
  };
  for (std::int64_t number = 0; number < unit_.registers(); ++number) {
    registers::RowAddress address = at;
    address.offset += std::int32_t(number * builder::tile_rows(type));
    if (packed && number + 1 < unit_.registers()) {
      const registers::VectorReg first = word_of(number++);
      builder::store_pair(builder, type, address, {first, word_of(number)});
    } else {
      builder::store_tile(builder, address, word_of(number), packed);
    }
  }
}

void SweepCode::store_results(builder::KernelBuilder& builder, UnitCode& code, const Addresses& at) const {
  const auto store_result = [&](int number, const registers::RowAddress& address) {
    const hlo::InstructionId id = result_ids_[std::size_t(number)];
    store(builder, code, id, body_[id].shape.element_type, address);
  };
  for (std::size_t i = 0; i < at.results.size(); ++i) store_result(streams_.results[i], at.results[i]);
  for (const auto& [number, address] : at.whole_results) store_result(number, address);
  for (const auto& [id, address] : at.kept) store(builder, code, id, word_type(body_[id].shape.element_type), address);
}

void SweepCode::write_unit(builder::KernelBuilder& builder, const Prepared& prepared, const Position& position,
                           const Addresses& at) const {
  const Sources from = sources(at);
  UnitCode code(builder, module_, sweep_.space, unit_, position, from, prepared.columns, prepared.invariants);
  store_results(builder, code, at);
  for (const Accumulators& reduction : prepared.reductions) reduction.add_unit(builder, code, unit_, position);
}

void SweepCode::write_units(builder::KernelBuilder& builder, const Prepared& prepared, Counters& counters, Addresses at,
                            registers::ScalarOperand count) const {
  registers::LoopOptions options{registers::LoopSchedule::pipelined, {}};
  const auto add = [&](const registers::RowAddress& address) { options.independent_buffers.push_back(address.buffer); };
  std::ranges::for_each(at.inputs, add);
  std::ranges::for_each(at.results, add);
  for (const auto& [id, address] : at.whole) add(address);
  for (const auto& [id, address] : at.kept) add(address);
  for (const auto& [number, address] : at.whole_results) add(address);
  const Position position = counters.begin();
  builder.loop(count, options, [&] {
    write_unit(builder, prepared, position, at);
    advance(builder, at);
    counters.advance();
  });
  counters.end();
}

Columns SweepCode::columns(builder::KernelBuilder& builder) const {
  Columns columns;
  for (const auto& [id, axes] : sweep_.columns) {
    const builder::KernelBuilder::VmemBuffer to =
        builder.vmem_rows(sweep_.space.tiles.row_tiles * builder::register_rows);
    Counters rows(builder, sweep_.space, {sweep_.space.rows()});
    const Position position = rows.begin();
    const registers::ScalarReg row = builder.constant(to.row);
    builder.loop(std::int32_t(sweep_.space.tiles.row_tiles), {registers::LoopSchedule::pipelined, {to.buffer}}, [&] {
      const VmemArray& array = residents_.values.at(id);
      const Located located = locate(builder, array, axes, sweep_.space, position);
      builder.store({row, 0, to.buffer}, load_located(builder, array, located));
      builder.assign(row, Isa::s_add, row, builder::register_rows);
      rows.advance();
    });
    columns[{id, axes}] = to;
  }
  return columns;
}

std::int64_t SweepCode::scratch_rows() const {
  std::int64_t rows = std::int64_t(sweep_.columns.size()) * sweep_.space.tiles.row_tiles * builder::register_rows;
  for (const Accumulators& reduction : accumulators()) rows += reduction.vmem_rows();
  return rows;
}

SweepCode::Prepared SweepCode::prepare(builder::KernelBuilder& builder) const {
  Prepared prepared{accumulators(), {}, {}};
  for (Accumulators& reduction : prepared.reductions) reduction.begin(builder);
  prepared.columns = columns(builder);
  return prepared;
}

void SweepCode::finish(builder::KernelBuilder& builder, const Prepared& prepared) const {
  for (std::size_t i = 0; i < prepared.reductions.size(); ++i)
    prepared.reductions[i].finish(builder, residents_.values.at(sweep_.reductions[i]));
}

void SweepCode::write(builder::KernelBuilder& builder) const {
  Prepared prepared = prepare(builder);
  Counters counters(builder, sweep_.space, unit_, sweep_.coordinates, false);
  prepared.invariants = invariants(builder);
  write_units(builder, prepared, counters, resident_addresses(builder, 0), std::int32_t(units()));
  finish(builder, prepared);
}

void SweepCode::write(builder::KernelBuilder& builder, const builder::TilePlan& plan, std::int64_t units_of_tile,
                      int first_flag, const std::function<void()>& meanwhile) const {
  Counters counters(builder, sweep_.space, unit_, sweep_.coordinates, plan.tiles() > 1);
  builder::TileLoop loop(builder, plan, first_flag);
  loop.start();
  meanwhile();
  Prepared prepared = prepare(builder);
  const bool uneven = units() % units_of_tile != 0;
  loop.run_tiles([&](const builder::TileLoop::Tile& tile) {
    const registers::ScalarOperand before = builder::product(builder, tile.index(0), std::int32_t(units_of_tile));
    Addresses at = resident_addresses(builder, before);
    const auto inputs = int(streams_.inputs.size());
    for (int i = 0; i < int(plan.streams.size()); ++i) {
      const registers::RowAddress address{builder.op(Isa::s_add, tile.row(i), 0), 0, tile.buffer(i)};
      (i < inputs ? at.inputs : at.results).push_back(address);
    }
    registers::ScalarOperand count = std::int32_t(units_of_tile);
    if (uneven) {
      const registers::ScalarReg left = builder.op(Isa::s_sub, builder.constant(std::int32_t(units())), before);
      count = builder.op(Isa::s_min, left, std::int32_t(units_of_tile));
    }
    prepared.invariants = invariants(builder);
    write_units(builder, prepared, counters, std::move(at), count);
  });
  finish(builder, prepared);
  loop.wait_for_writes();
}

hw::TilePhase SweepCode::work_of_unit(const hw::Machine& machine) const {
  return builder::repeated_work(machine, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
    Prepared prepared{accumulators(), {}, {}};
    for (Accumulators& reduction : prepared.reductions) reduction.begin(builder);
    for (const auto& column : sweep_.columns) prepared.columns[column] = {999, 0};
    Counters counters(builder, sweep_.space, unit_, sweep_.coordinates, false);
    Addresses at = resident_addresses(builder, 0);
    int buffer = 1000;
    for (std::size_t i = 0; i < streams_.inputs.size(); ++i) at.inputs.push_back({builder.scalar(), 0, buffer++});
    for (std::size_t i = 0; i < streams_.results.size(); ++i) at.results.push_back({builder.scalar(), 0, buffer++});
    prepared.invariants = invariants(builder);
    const Position position = counters.begin();
    for (std::int64_t i = 0; i < repeats; ++i) {
      write_unit(builder, prepared, position, at);
      advance(builder, at);
    }
  });
}

hw::TilePhase SweepCode::work_of_reductions(const hw::Machine& machine) const {
  hw::TilePhase all;
  for (std::size_t i = 0; i < sweep_.reductions.size(); ++i) {
    const Accumulators reduction(module_, sweep_.reductions[i], sweep_.space);
    const hw::TilePhase one =
        builder::repeated_work(machine, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
          const Position position{0, 0, std::vector<registers::ScalarOperand>(std::size_t(sweep_.space.planes()), 0)};
          for (std::int64_t k = 0; k < repeats; ++k) {
            reduction.finish_register(builder, residents_.values.at(sweep_.reductions[i]), position,
                                      {builder.constant(0), 0, 0});
          }
        });
    all = builder::sum(all, builder::times(reduction.registers(), one));
  }
  return all;
}

}  // namespace podsim::sw::codegen::fusion
