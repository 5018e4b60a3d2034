// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw::bundle::results {

/// Waveform signals of a unit whose results leave in order: `state`, the operation that enters or "idle"; `in_unit`,
/// results that are not ready yet; `result_fifo`, results that wait to be popped. Changes are reported in the order of
/// the calls, which may be ahead of time, and shown in the order of time. The trace exists only when one is written.
class ResultTrace {
 public:
  /// Returns null if no output is requested. `unit` names the row and the category of its spans in the timeline.
  static std::unique_ptr<ResultTrace> make(const char* unit, const CoreTime& time, const Trace& trace);
  ResultTrace(const char* unit, const CoreTime& time, const Trace& trace);

  /// `operation` outlives the trace.
  void entered(std::string_view operation, base::Cycles begin, base::Cycles end);
  void result(base::Cycles entered, base::Cycles ready);
  void popped(base::Cycles now);
  void show_until(base::Cycles now);

 private:
  bool active() const;
  struct Change {
    std::string_view state;  ///< empty: unchanged
    std::int64_t in_unit = 0, result_fifo = 0;
  };

  const CoreTime& time_;
  const char* unit_;
  base::trace::Probe<std::string> state_;
  base::trace::Probe<std::int64_t> in_unit_, result_fifo_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  std::map<base::Cycles, Change> pending_;
  Change shown_;
};

}  // namespace podsim::hw::bundle::results
