// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

/// A timeline of named spans on tracks, written as Chrome trace-event JSON, which Perfetto opens.
namespace podsim::base {

class Timeline {
 public:
  using Track = int;
  /// `process` groups tracks ("chip(0,0) core 0"), `thread` names the row ("MXU 0").
  Track track(std::string_view process, std::string_view thread);
  /// Spans of one track may nest but not cross. Arguments are shown on selection.
  void span(Track track, std::string_view name, std::string_view category, Time begin, Time end,
            std::vector<std::pair<std::string, std::string>> arguments = {});
  void counter(Track track, std::string_view name, Time when, double value);
  bool empty() const { return events_.empty(); }
  /// Deterministic: events in the order of time, ties in the order they were added.
  void write_json(std::ostream& out) const;

 private:
  struct TrackName {
    std::string process, thread;
    int pid, tid;
  };
  struct Event {
    Track track;
    bool is_counter;
    std::string name, category;
    Time begin, end;
    double value;
    std::vector<std::pair<std::string, std::string>> arguments;
  };
  std::vector<TrackName> tracks_;
  std::deque<Event> events_;
};

}  // namespace podsim::base
