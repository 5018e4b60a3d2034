// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/runtime/link_bytes.h"
#include "sw/runtime/repetition.h"
#include "sw/runtime/repetition/loop_watch.h"
#include "sw/runtime/repetition/repeated_segments.h"

namespace podsim::sw::runtime {

/// Trips of loops without infeeds and outfeeds, and of segments that a program repeats, such as layers
/// (repetition/repeated_segments.h). Those that follow a trip that repeats itself (repetition/loop_watch.h) are
/// skipped: of a loop all but the last, of a segment all.
class RepeatedTrips : public Repetition {
 public:
  /// `cores` are those simulated. Without `segments` only loops are watched. The program outlives this.
  RepeatedTrips(const compiler::Program& program, base::Frequency clock, std::size_t cores, bool segments);

  std::optional<Skip> skip_now(const SimulatedCore& core, base::Cycles now, Observation& seen) override;
  bool trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                 Observation& seen) override;
  std::vector<std::string> notes(int steps) const override;

 private:
  /// A loop, or else a segment.
  struct Repeated {
    int loop = -1, segment = -1;
    auto operator<=>(const Repeated&) const = default;
  };
  /// A trip of it that a core begins.
  struct Trip {
    Repeated of;
    std::int64_t entry = 0;  ///< number of times that it was entered before
    std::int64_t number = 0, trips = 0;
  };
  struct OfCore {
    Repeated skipped;
    std::int64_t skipped_trips = 0;           ///< 0: it skips none now
    std::map<Repeated, std::size_t> ended{};  ///< number of items ended in the step when the last trip began
  };

  bool may_be_skipped(const compiler::Loop& loop) const;
  std::optional<Trip> trip_begun(const ProgramCursor& at) const;
  repetition::LoopWatch& watch_of(const Trip& trip);
  Skip skip_of(const Trip& trip, std::int64_t trips, int item, base::Cycles now);
  void mark(const SimulatedCore& core, const Repeated& of, Observation& seen);
  void add_to(Observation& seen, const SimulatedCore& core, base::Time end);
  std::string note_of_segments() const;

  const compiler::Program& program_;
  base::Frequency clock_;
  std::vector<OfCore> cores_;
  std::vector<bool> loops_;                            ///< by loop: whether it may be skipped
  std::vector<repetition::RepeatedSegment> segments_;  ///< that may be skipped
  std::vector<int> segment_begun_;                     ///< by item: the segment with a trip beginning there; -1: none
  std::map<std::pair<Repeated, std::int64_t>, repetition::LoopWatch> watches_;  ///< also by number of times entered
  std::map<int, repetition::LoopWatch::SteadyStates> steady_states_;            ///< by RepeatedSegment::content
  std::map<Repeated, std::int64_t> skipped_trips_;                              ///< when it was last entered
  std::map<Repeated, LinkBytes::Counts> carried_;                               ///< when its last trip began
};

}  // namespace podsim::sw::runtime
