// SPDX-License-Identifier: Apache-2.0
#include "base/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <ostream>
#include <utility>

#include "base/text/utf8.h"

namespace podsim::base::trace {
namespace {

constexpr std::size_t timeline_buffer = 1 << 16;

using Buffer = fmt::memory_buffer;

void append_string(Buffer& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text::printable(text)) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", unsigned(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// The format counts microseconds; six decimals keep every picosecond.
void append_microseconds(Buffer& out, Time time) {
  fmt::format_to(std::back_inserter(out), "{}.{:06}", time.value() / 1'000'000, time.value() % 1'000'000);
}

void append_name(Buffer& out, std::string_view what, int pid, int tid, std::string_view name) {
  fmt::format_to(std::back_inserter(out), R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":)", what, pid,
                 tid);
  append_string(out, name);
  fmt::format_to(std::back_inserter(out), "}}}}");
}

void append_order(Buffer& out, std::string_view what, int pid, int tid, int order) {
  fmt::format_to(std::back_inserter(out), R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                 what, pid, tid, order);
}

/// Writes list elements, one per line, and flushes full buffers.
class ListWriter {
 public:
  explicit ListWriter(std::ostream& out) : out_(out) {}
  Buffer& next() {
    if (buffer_.size() >= timeline_buffer) flush();
    buffer_.append(std::string_view(first_ ? "\n" : ",\n"));
    first_ = false;
    return buffer_;
  }
  void flush() {
    out_.write(buffer_.data(), std::streamsize(buffer_.size()));
    buffer_.clear();
  }

 private:
  std::ostream& out_;
  Buffer buffer_;
  bool first_ = true;
};

}  // namespace

Timeline::Track Timeline::track(std::string_view process, std::string_view thread) {
  auto [pid, new_process] = pids_.emplace(process, int(pids_.size()) + 1);
  auto [known, new_track] = index_.try_emplace({pid->second, std::string(thread)}, Track(tracks_.size()));
  if (new_track) {
    tracks_.push_back({std::string(process), std::string(thread), pid->second, int(tracks_.size()) + 1, new_process});
  }
  return known->second;
}

void Timeline::span(Track track, std::string_view name, std::string_view category, Time begin, Time end,
                    std::vector<std::pair<std::string, std::string>> arguments) {
  assert(track >= 0 && std::size_t(track) < tracks_.size() && begin <= end && begin >= Time(0));
  events_.push_back({track, false, std::string(name), std::string(category), begin, end, 0, std::move(arguments)});
}

void Timeline::counter(Track track, std::string_view name, Time when, double value) {
  assert(track >= 0 && std::size_t(track) < tracks_.size() && when >= Time(0));
  events_.push_back({track, true, std::string(name), "", when, when, value, {}});
}

void Timeline::write_json(std::ostream& out) const {
  std::vector<const Event*> order;
  order.reserve(events_.size());
  for (const Event& event : events_) order.push_back(&event);
  // If spans begin together, the longer one encloses the other and must come first.
  std::stable_sort(order.begin(), order.end(), [](const Event* a, const Event* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
  });

  out << R"({"displayTimeUnit":"ns","traceEvents":[)";
  ListWriter list(out);
  for (const TrackName& track : tracks_) {
    if (track.names_process) {
      append_name(list.next(), "process_name", track.pid, track.tid, track.process);
      append_order(list.next(), "process_sort_index", track.pid, track.tid, track.pid);
    }
    append_name(list.next(), "thread_name", track.pid, track.tid, track.thread);
    append_order(list.next(), "thread_sort_index", track.pid, track.tid, track.tid);
  }
  for (const Event* event : order) append_event(list.next(), *event);
  list.flush();
  out << "\n]}\n";
}

void Timeline::append_event(Buffer& out, const Event& event) const {
  const TrackName& track = tracks_[std::size_t(event.track)];
  fmt::format_to(std::back_inserter(out), R"({{"ph":"{}","pid":{},"tid":{},"ts":)", event.is_counter ? 'C' : 'X',
                 track.pid, track.tid);
  append_microseconds(out, event.begin);
  out.append(std::string_view(R"(,"name":)"));
  append_string(out, event.name);
  if (event.is_counter) {
    fmt::format_to(std::back_inserter(out), R"(,"args":{{"value":{}}}}})", event.value);
    return;
  }
  out.append(std::string_view(R"(,"dur":)"));
  append_microseconds(out, event.end - event.begin);
  out.append(std::string_view(R"(,"cat":)"));
  append_string(out, event.category);
  if (!event.arguments.empty()) {
    std::string_view separator = R"(,"args":{)";
    for (const auto& [name, value] : event.arguments) {
      out.append(separator);
      append_string(out, name);
      out.push_back(':');
      append_string(out, value);
      separator = ",";
    }
    out.push_back('}');
  }
  out.push_back('}');
}

}  // namespace podsim::base::trace
