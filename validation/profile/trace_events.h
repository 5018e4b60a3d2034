// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/data_view.hpp>

/// What XProf's trace (an XSpace, `xplane.pb`) says about HLO ops. All views are of the file's bytes.
namespace podsim::validation::profile {

/// Values that an event or a kind of event has, of those that tell about ops.
struct EventStats {
  std::optional<std::string_view> hlo_op, hlo_category, tf_op, long_name;
  std::optional<std::uint64_t> program_id;
  std::optional<double> flops, bytes_accessed;  ///< one occurrence
  std::optional<std::int64_t> device_offset_ps, device_duration_ps, self_duration_ps;
  protozero::data_view hlo_proto{"", 0};
};

/// What all executions of one op have in common.
struct EventKind {
  std::string_view name, display_name;
  EventStats stats;
};

/// An execution of an op, or the sum of `occurrences`, which then has no time of its own.
struct TraceEvent {
  const EventKind* kind = nullptr;
  std::int64_t begin_ps = 0, duration_ps = 0;
  std::int64_t occurrences = 1;
  bool is_sum = false;
  EventStats stats;
};

/// Events of one device, core or thread, one after the other or within each other.
struct TraceLine {
  std::string_view name;
  std::vector<TraceEvent> events;
};

/// Its events point at its kinds.
struct TracePlane {
  std::string_view name;
  std::map<std::uint64_t, EventKind> kinds;
  std::vector<TraceLine> lines;
};

/// True if the bytes begin like a trace; a table of text never does.
bool is_trace(std::string_view bytes);

/// The planes of a trace. Throws InputError with the first byte of the message that is damaged, that has a negative
/// time or count, or that names an undefined kind of event.
std::list<TracePlane> read_trace(const std::string& file, std::string_view bytes);

}  // namespace podsim::validation::profile
