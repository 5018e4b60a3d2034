// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "noc/topology.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/program.h"
#include "sw/runtime/op_records.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/pod/fold.h"
#include "sw/runtime/reductions.h"
#include "sw/runtime/simulation_options.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::session {

/// A program and what follows from it on a slice, whenever it runs. The arguments outlive this.
struct LoadedProgram {
  LoadedProgram(const compiler::Program& its_program, const TargetMachine& machine, const noc::Topology& slice,
                const SimulationOptions& options)
      : program(its_program),
        times(options.collective_times ? options.collective_times
                                       : std::make_shared<collectives::engine::CollectiveTimes>(machine)),
        schedules(pod::schedules_of(program, machine, slice, options.algorithm, *times)),
        fold(!options.faults.none() ? pod::Fold{slice}
             : options.one_chip     ? pod::fold_to_one(program, machine, slice, schedules, *times)
             : reduces(options)     ? pod::fold(program, machine, slice, schedules, options.estimates)
                                    : pod::Fold{slice}),
        orders(follows_orders(options) ? pod::orders_of(machine, schedules) : pod::CollectiveOrders()),
        records(program, machine, options.op_cache, options.faults) {}

  const compiler::Program& program;
  std::shared_ptr<collectives::engine::CollectiveTimes> times;
  pod::CollectiveSchedules schedules;
  pod::Fold fold;
  pod::CollectiveOrders orders;  ///< empty: chips and links serve what comes first
  OpRecords records;
};

}  // namespace podsim::sw::runtime::session
