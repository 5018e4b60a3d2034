// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <deque>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

/// A timeline of named spans on tracks, written as Chrome trace-event JSON, which Perfetto opens. Times keep their
/// picoseconds.
namespace podsim::base::trace {

class Timeline {
 public:
  using Track = int;
  /// Returns the track with these names, and makes it if necessary. `process` groups tracks ("chip(0,0) core 0"),
  /// `thread` names the row ("MXU 0"). Tracks are shown in the order in which they were made.
  Track track(std::string_view process, std::string_view thread);
  /// Adds a span. Spans of one track may nest but not cross. Arguments are shown on selection.
  void span(Track track, std::string_view name, std::string_view category, Time begin, Time end,
            std::vector<std::pair<std::string, std::string>> arguments = {});
  void counter(Track track, std::string_view name, Time when, double value);
  bool empty() const { return events_.empty(); }
  /// Writes the events in order of time; those that begin together in order of length, longest first, then in order of
  /// addition.
  void write_json(std::ostream& out) const;

 private:
  struct TrackName {
    std::string process, thread;
    int pid, tid;
    bool names_process;  ///< the first track of its process
  };
  struct Event {
    Track track;
    bool is_counter;
    std::string name, category;
    Time begin, end;
    double value;
    std::vector<std::pair<std::string, std::string>> arguments;
  };
  void append_event(fmt::memory_buffer& out, const Event& event) const;

  std::vector<TrackName> tracks_;
  std::map<std::string, int, std::less<>> pids_;
  std::map<std::pair<int, std::string>, Track> index_;
  std::deque<Event> events_;
};

}  // namespace podsim::base::trace
