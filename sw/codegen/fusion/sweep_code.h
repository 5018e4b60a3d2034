// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "hw/tile_op.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/fusion/accumulators.h"
#include "sw/codegen/fusion/counters.h"
#include "sw/codegen/fusion/sweeps.h"
#include "sw/codegen/fusion/unit_code.h"

namespace podsim::sw::codegen::fusion {

/// Registers that an iteration of a sweep computes, at most `most` but for rows that have to be whole.
Unit unit_of(const Sweep& sweep, std::int64_t most);

/// Arrays of a sweep that move through double buffers, tile by tile; the others stay in VMEM.
struct SweepStreams {
  std::vector<hlo::InstructionId> inputs;
  std::vector<int> results;
  bool any() const { return !inputs.empty() || !results.empty(); }
};

/// Where arrays that stay in VMEM are.
struct Residents {
  std::map<hlo::InstructionId, VmemArray> values;  ///< parameters, and what sweeps keep
  std::map<int, VmemArray> results;                ///< by number
};

/// Writes the loops of one sweep.
class SweepCode {
 public:
  /// All arguments outlive this.
  SweepCode(const hlo::Module& module, const Sweep& sweep, const Unit& unit, const SweepStreams& streams,
            const Residents& residents);

  std::int64_t units() const { return sweep_.space.registers() / unit_.registers(); }
  /// Writes a sweep whose arrays are all in VMEM.
  void write(builder::KernelBuilder& builder) const;
  /// Writes a sweep over the tiles of a plan, whose streams are the inputs and results in the order of SweepStreams.
  /// Each tile has `units` units, the last one the rest. `meanwhile` writes code to perform while the first tiles are
  /// read.
  void write(builder::KernelBuilder& builder, const builder::TilePlan& plan, std::int64_t units, int first_flag,
             const std::function<void()>& meanwhile) const;
  /// VMEM rows that it takes in addition to those of streams and residents.
  std::int64_t scratch_rows() const;
  /// The work of one unit, and of the loops behind the sweep that end its reductions.
  hw::TilePhase work_of_unit(const hw::Machine& machine) const;
  hw::TilePhase work_of_reductions(const hw::Machine& machine) const;
  double rounding_steps() const;

 private:
  /// What is computed before the loop over all units.
  struct Prepared {
    std::vector<Accumulators> reductions;
    Columns columns;
    Invariants invariants = {};
  };
  struct Addresses {
    std::vector<registers::RowAddress> inputs, results;  ///< streams: first register of the unit
    std::map<hlo::InstructionId, registers::RowAddress> whole, kept;
    std::map<int, registers::RowAddress> whole_results;
  };

  std::vector<Accumulators> accumulators() const;
  Invariants invariants(builder::KernelBuilder& builder) const;
  Columns columns(builder::KernelBuilder& builder) const;
  Sources sources(const Addresses& at) const;
  Addresses resident_addresses(builder::KernelBuilder& builder, registers::ScalarOperand units_before) const;
  void write_units(builder::KernelBuilder& builder, const Prepared& prepared, Counters& counters, Addresses at,
                   registers::ScalarOperand count) const;
  void write_unit(builder::KernelBuilder& builder, const Prepared& prepared, const Position& position,
                  const Addresses& at) const;
  Prepared prepare(builder::KernelBuilder& builder) const;
  void finish(builder::KernelBuilder& builder, const Prepared& prepared) const;
  void store_results(builder::KernelBuilder& builder, UnitCode& code, const Addresses& at) const;
  void store(builder::KernelBuilder& builder, UnitCode& code, hlo::InstructionId id, hlo::ElementType type,
             registers::RowAddress at) const;
  void advance(builder::KernelBuilder& builder, const Addresses& at) const;
  std::int32_t rows_of_unit(hlo::ElementType type) const;

  const hlo::Module& module_;
  const hlo::Computation& body_;
  const Sweep& sweep_;
  Unit unit_;
  const SweepStreams& streams_;
  const Residents& residents_;
  std::vector<hlo::InstructionId> result_ids_;
};

}  // namespace podsim::sw::codegen::fusion
