// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/command.h"

/// A core as those who run programs on it see it, at any level of detail.
namespace podsim::hw {

struct CoreId {
  int chip = 0;  ///< the number that the chip was given
  int core = 0;  ///< in its chip
  bool operator==(const CoreId&) const = default;
};

class Core {
 public:
  virtual ~Core() = default;
  virtual CoreId id() const = 0;
  /// What an External command waits for is over, at the present simulated time. The core goes on at its next edge.
  virtual void complete_external() = 0;
  /// The edge of this core's clock at or after the present.
  virtual base::Cycles now() const = 0;
  /// The simulated time of an edge of this core's clock.
  virtual base::Time time_of(base::Cycles cycle) const = 0;
};

/// Who feeds cores and listens to them; one for any number of cores. Calls come from simulation processes at the
/// simulated time of what they report, and must neither wait nor throw.
class CoreRuntime {
 public:
  virtual ~CoreRuntime() = default;
  /// The next command, asked for when the one before has completed; nothing ends the program.
  virtual std::optional<Command> next_command(Core& core) = 0;
  virtual void completed(Core& core, const CommandRecord& record) = 0;
  /// The core has reached an External command. complete_external() may be called at once or later.
  virtual void start_external(Core& core, const External& command) = 0;
  /// The core cannot proceed and has stopped for good; the verdict says why, for a base::SimulationError to be thrown
  /// outside of the simulation. Nothing is thrown in a process: the kernel would lose the type, and unwinding the stack
  /// of a simulation thread confuses the address sanitizer.
  virtual void failed(Core& core, const std::string& verdict) = 0;
};

}  // namespace podsim::hw
