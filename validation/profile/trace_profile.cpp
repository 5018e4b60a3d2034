// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/trace_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/proto/module_text.h"
#include "sw/compiler/tiles/core_op.h"
#include "validation/profile/op_text.h"
#include "validation/profile/trace_events.h"

namespace podsim::validation::profile {
namespace {

constexpr double pico = 1e-12;
constexpr std::string_view op_line = "XLA Ops";

/// XProf's name of a category where the trace has none: the kind of a fusion, else the opcode.
std::string category_of(const std::optional<OpText>& text) {
  if (!text) return "unknown";
  const auto kind = text->attributes.find("kind");
  if (text->opcode != hlo::Opcode::fusion || kind == text->attributes.end()) return text->opcode_text;
  std::string name = kind->second.substr(std::min<std::size_t>(1, kind->second.size()));  // "kLoop"
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') name[0] = char(name[0] - 'A' + 'a');
  return name + " fusion";
}

/// Durations without those of events within the events, by XProf's rule: an event is within another that includes it.
std::vector<std::int64_t> self_times(const std::vector<const TraceEvent*>& events) {
  std::vector<std::int64_t> self(events.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i) {
    self[i] = events[i]->duration_ps;
    if (events[i]->is_sum || events[i]->stats.self_duration_ps) {
      self[i] = events[i]->stats.self_duration_ps.value_or(self[i]);
    } else {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(events[i]->begin_ps, -events[i]->duration_ps); });
  const auto end = [&](std::size_t i) { return events[i]->begin_ps + events[i]->duration_ps; };
  std::vector<std::size_t> around;
  for (const std::size_t i : order) {
    while (!around.empty() && end(around.back()) < end(i)) around.pop_back();
    if (!around.empty()) {
      std::int64_t& left = self[around.back()];
      left = std::max<std::int64_t>(0, left - events[i]->duration_ps);
    }
    around.push_back(i);
  }
  return self;
}

class TraceProfile {
 public:
  TraceProfile(const std::string& file, std::string_view bytes)
      : file_(file), bytes_(bytes), planes_(read_trace(file, bytes)) {}

  Profile run() {
    read_modules();
    for (const TracePlane& plane : planes_) {
      for (const TraceLine& line : plane.lines) {
        if (line.name == op_line) add(plane, line.events);
      }
    }
    if (profile_.ops.empty()) add_events_with_ops();
    if (profile_.ops.empty()) throw no_ops();
    for (ProfileOp& op : profile_.ops) {
      op.self_time_s = op.occurrences > 0 ? op.total_self_time_s / double(op.occurrences) : 0;
    }
    std::ranges::stable_sort(profile_.ops, std::ranges::greater(), &ProfileOp::total_self_time_s);
    return std::move(profile_);
  }

 private:
  using Texts = std::map<std::string, std::string, std::less<>>;

  /// The modules whose text a trace has, by their programs.
  void read_modules() {
    for (const TracePlane& plane : planes_) {
      for (const auto& [id, kind] : plane.kinds) {
        if (!kind.stats.hlo_proto.empty()) modules_[kind.stats.program_id.value_or(id)] = kind.stats.hlo_proto;
      }
    }
  }

  void add_events_with_ops() {
    for (const TracePlane& plane : planes_) {
      for (const TraceLine& line : plane.lines) {
        std::vector<TraceEvent> events;
        std::ranges::copy_if(line.events, std::back_inserter(events),
                             [](const TraceEvent& event) { return event.stats.hlo_op || event.kind->stats.hlo_op; });
        add(plane, events);
      }
    }
  }

  void add(const TracePlane& plane, const std::vector<TraceEvent>& events) {
    if (events.empty()) return;
    if (std::ranges::find(profile_.measured_on, plane.name) == profile_.measured_on.end()) {
      profile_.measured_on.emplace_back(plane.name);
    }
    std::vector<const TraceEvent*> pointers;
    for (const TraceEvent& event : events) pointers.push_back(&event);
    const std::vector<std::int64_t> self = self_times(pointers);
    for (std::size_t i = 0; i < events.size(); ++i) {
      ProfileOp& op = row(events[i]);
      op.occurrences += events[i].occurrences;
      op.total_self_time_s += pico * double(self[i]);
    }
  }

  /// The row of an event's op, which its program and its name tell from others.
  ProfileOp& row(const TraceEvent& event) {
    const EventKind& kind = *event.kind;
    const auto value = [&](auto member) {
      const auto& own = event.stats.*member;
      return own ? own : kind.stats.*member;
    };
    const std::optional<std::uint64_t> program = value(&EventStats::program_id);
    const std::string_view name = value(&EventStats::hlo_op).value_or(kind.name);
    const auto [found, is_new] = rows_.try_emplace(std::pair(program.value_or(0), name), profile_.ops.size());
    if (!is_new) return profile_.ops[found->second];
    ProfileOp& op = profile_.ops.emplace_back();
    op.hlo_text = op_text(kind, value(&EventStats::long_name), program, name);
    const std::optional<std::string_view> category = value(&EventStats::hlo_category);
    op.category = category ? std::string(*category) : category_of(read_op_text(op.hlo_text));
    op.tf_op = value(&EventStats::tf_op).value_or("");
    op.flops = value(&EventStats::flops);
    op.bytes = value(&EventStats::bytes_accessed);
    return op;
  }

  /// A kind's name is its op's text, or there is a longer name, or the program's module has the text.
  std::string op_text(const EventKind& kind, std::optional<std::string_view> long_name,
                      std::optional<std::uint64_t> program, std::string_view name) {
    for (const std::string_view text : {kind.name, long_name.value_or("")}) {
      if (read_op_text(text)) return std::string(text);
    }
    const Texts& texts = texts_of(program);
    for (const std::string_view called : {name, kind.display_name}) {
      if (const auto found = texts.find(called); found != texts.end()) return found->second;
    }
    return std::string(long_name.value_or(name));
  }

  const Texts& texts_of(std::optional<std::uint64_t> program) {
    static const Texts none;
    const auto module = program ? modules_.find(*program) : modules_.end();
    if (module == modules_.end()) return none;
    const auto [texts, is_new] = texts_.try_emplace(*program);
    if (!is_new) return texts->second;
    const protozero::data_view bytes = module->second;
    texts->second = hlo::proto::instruction_texts(
        fmt::format("{} (the module at byte {})", file_, bytes.data() - bytes_.data()), {bytes.data(), bytes.size()});
    return texts->second;
  }

  base::InputError no_ops() const {
    std::vector<std::string_view> names;
    for (const TracePlane& plane : planes_) names.push_back(plane.name);
    return base::InputError(
        fmt::format("'{}' has no op: neither a line \"{}\" nor events with an hlo_op", file_, op_line),
        names.empty() ? "it has no planes" : fmt::format("its planes are {}", fmt::join(names, ", ")));
  }

  const std::string& file_;
  std::string_view bytes_;
  std::list<TracePlane> planes_;
  std::map<std::uint64_t, protozero::data_view> modules_;
  std::map<std::uint64_t, Texts> texts_;
  std::map<std::pair<std::uint64_t, std::string_view>, std::size_t> rows_;
  Profile profile_{file_, {}, {}};
};

}  // namespace

Profile trace_profile(const std::string& file, std::string_view bytes) { return TraceProfile(file, bytes).run(); }

}  // namespace podsim::validation::profile
