// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/session/loaded_program.h"
#include "sw/runtime/session/simulated_slice.h"
#include "sw/runtime/simulation_options.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::session {

/// A slice on which programs run in turns, in one simulated time. A process may have any number of sessions.
///
/// A request is some steps of a program. It has the whole slice, from when it has arrived and all requests before it
/// have ended until its last core ends; requests are served in the order of the calls. Nothing is known of later ones:
/// the slice stands still until the next call, whose arrival may follow from the answers so far.
///
///   begin = the first common edge at or after max(arrival, end of the request before) + launch
///
/// The common edges of the core clock and the picoseconds are 50 ns apart at 940 MHz, so that what a request takes on
/// an idle slice does not depend on when it begins, to the picosecond. A clock that has none within a microsecond
/// begins at any edge.
///
/// Kept from request to request: compiled programs, schedules of their collectives, their folding, records of their
/// ops, and the modules with their queues: batches that the host has prepared for the same infeeds (those for others
/// are dropped), results in flight to the host. Programs that fold the slice alike run on the same modules; others on
/// modules of their own, whose time is brought forward.
///
/// A program without infeeds and outfeeds takes the same each time, so that an equal request repeats its answer without
/// being simulated: unless nothing is reduced (reductions.h), at detail chip, and with waveforms or a timeline.
///
/// Changing the program costs what every request costs, its launch. Left out, since nothing is published: loading its
/// code; and the memory that programs hold at the same time is not added up.
class Session {
 public:
  struct Request {
    int program = 0;  ///< as add() numbered it
    int steps = 2;
    base::Time arrival = {};
    std::string name = "step";  ///< of its steps in the timeline
  };
  /// Times since the session began. Times in the result are those of the steps.
  struct Answer {
    base::Time begin, end;
    RunResult result;
  };

  /// The machine, and the objects that `options` points to, outlive the session.
  Session(const TargetMachine& machine, const noc::Topology& slice, SimulationOptions options = {});

  /// Adds a program and returns its number. It is compiled (sw/driver/compile.h) before its first request, and kept.
  int add(std::function<compiler::Program()> compile);
  /// As above; the program is compiled and outlives the session.
  int add(const compiler::Program& program);
  int add(compiler::Program&& program) = delete;

  /// Compiles a program and makes the modules that it runs on, with their signals, unless that has been done. Throws
  /// what compiling it throws. Waveforms show the modules that were made first.
  void load(int program) { slice_for(loaded(program).fold.topology); }
  /// Loads the program and simulates until the request has ended. Throws base::SimulationError with a verdict if the
  /// program cannot proceed. Precondition: no request before has failed or been interrupted.
  Answer run(const Request& request);
  /// Simulates what continues after the last request, such as results in flight to the host.
  void settle();
  /// The simulated time: the end of the last request, or of what was settled.
  base::Time now() const { return now_; }

 private:
  struct Added {
    std::function<compiler::Program()> compile;
    const compiler::Program* program = nullptr;  ///< null until it is compiled
    std::optional<compiler::Program> own = std::nullopt;
    std::unique_ptr<LoadedProgram> loaded = nullptr;
    std::map<int, Answer> known = {};  ///< by number of steps
  };

  LoadedProgram& loaded(int program);
  SimulatedSlice& slice_for(const noc::FoldedTopology& topology);
  base::Time first_begin(base::Time earliest) const;
  Answer simulate(const Request& request, base::Time begin);
  bool repeats(const compiler::Program& program) const;

  const TargetMachine& machine_;
  noc::Topology slice_;
  SimulationOptions options_;
  std::deque<Added> programs_;
  std::vector<std::unique_ptr<SimulatedSlice>> slices_;  ///< by folding
  base::Time now_;
  bool usable_ = true;  ///< the last request has ended
};

}  // namespace podsim::sw::runtime::session
