// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/command.h"

/// The interface of a core, at any level of detail, to the runtime that executes programs on it.
namespace podsim::hw::core {

struct CoreId {
  int chip = 0;  ///< chip number
  int core = 0;  ///< index in the chip
  bool operator==(const CoreId&) const = default;
};

class Core {
 public:
  virtual ~Core() = default;
  virtual CoreId id() const = 0;
  /// Completes an External command at the current simulated time. The core continues at its next clock edge.
  virtual void complete_external() = 0;
  /// Has a core that was given no command ask for one again, at the current simulated time.
  virtual void resume() = 0;
  /// The first edge of this core's clock that is not in the past.
  virtual base::Cycles now() const = 0;
  /// The simulated time of an edge of this core's clock.
  virtual base::Time time_of(base::Cycles cycle) const = 0;
};

/// Supplies commands to cores and receives their reports; one object serves any number of cores. Calls come from
/// simulation processes at the simulated time of the report, and must neither wait nor throw.
class CoreRuntime {
 public:
  virtual ~CoreRuntime() = default;
  /// Returns the next command of a core, called when the one before has completed; std::nullopt: the core stands still
  /// until Core::resume().
  virtual std::optional<Command> next_command(Core& core) = 0;
  virtual void completed(Core& core, const CommandRecord& record) = 0;
  /// The core has reached an External command. Core::complete_external() may be called at once or later.
  virtual void start_external(Core& core, const External& command) = 0;
  /// The core cannot proceed and has stopped for good. The runtime throws `verdict` as a base::SimulationError outside
  /// of the simulation. Nothing is thrown in a process: the SystemC kernel loses the type, and unwinding the stack of a
  /// simulation thread confuses the address sanitizer.
  virtual void failed(Core& core, const std::string& verdict) = 0;
};

}  // namespace podsim::hw::core
