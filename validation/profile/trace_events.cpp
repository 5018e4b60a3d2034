// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <protozero/pbf_reader.hpp>
#include <utility>
#include <variant>

#include "base/diagnostic.h"
#include "hlo/proto/damage_text.h"
#include "hlo/proto/field_values.h"

namespace podsim::validation::profile {
namespace {

namespace proto = hlo::proto;
using protozero::data_view;
using protozero::pbf_wire_type;

// Field numbers of xplane.proto.
constexpr int planes_field = 1;  ///< of an XSpace
namespace plane_field {
constexpr int name = 2, line = 3, event_metadata = 4, stat_metadata = 5;
}
namespace line_field {
constexpr int name = 2, event = 4;
}
namespace event_field {
constexpr int metadata_id = 1, offset_ps = 2, duration_ps = 3, stat = 4, occurrences = 5;
}
namespace stat_field {
constexpr int metadata_id = 1, as_double = 2, as_uint64 = 3, as_int64 = 4, as_string = 5, as_bytes = 6,
              as_reference = 7;
}
namespace metadata_field {
constexpr int name = 2, display_name = 4, stat = 5;
}
constexpr int key_field = 1, value_field = 2;  ///< of an entry of a map

/// About twelve days: sums of two times stay within 64 bits.
constexpr std::int64_t longest_ps = std::int64_t(1) << 60;
constexpr std::int64_t max_occurrences = std::int64_t(1) << 32;
/// Characters of a file within which the first plane has a field's number, which is a control character.
constexpr std::size_t head_bytes = 16;

std::string_view text(data_view view) { return {view.data(), view.size()}; }

/// A damaged trace, without its location.
struct Damage {
  std::string what;
};

using StatValue = std::variant<std::monostate, double, std::uint64_t, std::int64_t, std::string_view>;

double number(const StatValue& value, std::string_view name) {
  double result = -1;
  if (const auto* real = std::get_if<double>(&value)) result = *real;
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) result = double(*whole);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) result = double(*whole);
  if (!std::isfinite(result) || result < 0) throw Damage{fmt::format("its {} is no number from zero", name)};
  return result;
}

std::int64_t picoseconds(const StatValue& value, std::string_view name) {
  const double result = number(value, name);
  if (result > double(longest_ps)) throw Damage{fmt::format("its {} is over twelve days", name)};
  const auto* whole = std::get_if<std::uint64_t>(&value);
  const auto* other = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? std::int64_t(*whole) : other != nullptr ? *other : std::int64_t(result);
}

std::optional<std::string_view> text_value(const StatValue& value) {
  const auto* found = std::get_if<std::string_view>(&value);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

class PlaneReader {
 public:
  PlaneReader(const std::string& file, std::string_view bytes, data_view plane)
      : file_(file), bytes_(bytes), plane_(plane) {}

  TracePlane read() {
    TracePlane result{.name = text(proto::bytes_of(plane_, plane_field::name)), .kinds = {}, .lines = {}};
    for (const data_view entry : proto::messages_of(plane_, plane_field::stat_metadata)) {
      within(entry, [&] {
        stat_names_[std::uint64_t(proto::integer_of(entry, key_field))] =
            text(proto::bytes_of(proto::bytes_of(entry, value_field), metadata_field::name));
      });
    }
    for (const data_view entry : proto::messages_of(plane_, plane_field::event_metadata)) {
      within(entry, [&] {
        result.kinds[std::uint64_t(proto::integer_of(entry, key_field))] = kind(proto::bytes_of(entry, value_field));
      });
    }
    for (const data_view line : proto::messages_of(plane_, plane_field::line)) {
      TraceLine& made = result.lines.emplace_back();
      within(line, [&] {
        made.name = text(proto::bytes_of(line, line_field::name));
        for (const data_view event : proto::messages_of(line, line_field::event)) {
          within(event, [&] { made.events.push_back(read_event(event, result.kinds)); });
        }
      });
    }
    return result;
  }

  /// Runs `read` and says where its damage is: at the innermost message that is read within another.
  template <typename Read>
  void within(data_view message, const Read& read) const {
    const auto fail = [&](const std::string& what) {
      return base::InputError(
          fmt::format("'{}' is damaged: the message at byte {}: {}", file_, message.data() - bytes_.data(), what),
          "a trace of XProf is an XSpace of xplane.proto");
    };
    try {
      read();
    } catch (const protozero::exception& damage) {
      throw fail(proto::damage_text(damage));
    } catch (const Damage& damage) {
      throw fail(damage.what);
    }
  }

 private:
  EventKind kind(data_view metadata) const {
    EventKind result{.name = text(proto::bytes_of(metadata, metadata_field::name)),
                     .display_name = text(proto::bytes_of(metadata, metadata_field::display_name)),
                     .stats = {}};
    for (const data_view stat : proto::messages_of(metadata, metadata_field::stat)) add(stat, result.stats);
    return result;
  }

  TraceEvent read_event(data_view message, const std::map<std::uint64_t, EventKind>& kinds) const {
    TraceEvent event;
    const auto whole = [](protozero::pbf_reader& field) { return StatValue(field.get_int64()); };
    std::uint64_t kind_id = 0;
    for (protozero::pbf_reader field(message); field.next();) {
      const bool is_number = field.wire_type() == pbf_wire_type::varint;
      const int tag = int(field.tag());
      if (is_number && tag == event_field::metadata_id) {
        kind_id = field.get_uint64();
      } else if (is_number && tag == event_field::offset_ps) {
        event.begin_ps = picoseconds(whole(field), "offset");
      } else if (is_number && tag == event_field::duration_ps) {
        event.duration_ps = picoseconds(whole(field), "duration");
      } else if (is_number && tag == event_field::occurrences) {
        event.occurrences = field.get_int64();
        if (event.occurrences < 0 || event.occurrences > max_occurrences) {
          throw Damage{fmt::format("{} occurrences are not from 0 to {}", event.occurrences, max_occurrences)};
        }
        event.is_sum = true;
      } else if (field.wire_type() == pbf_wire_type::length_delimited && tag == event_field::stat) {
        add(field.get_view(), event.stats);
      } else {
        field.skip();
      }
    }
    const auto found = kinds.find(kind_id);
    if (found == kinds.end()) throw Damage{fmt::format("there is no kind {} of events in its plane", kind_id)};
    event.kind = &found->second;
    // The clock of the device, not that of the host.
    if (event.stats.device_offset_ps && event.stats.device_duration_ps) {
      event.begin_ps = *event.stats.device_offset_ps;
      event.duration_ps = *event.stats.device_duration_ps;
    }
    return event;
  }

  void add(data_view stat, EventStats& stats) const {
    const auto known = stat_names_.find(std::uint64_t(proto::integer_of(stat, stat_field::metadata_id)));
    if (known == stat_names_.end()) return;
    const std::string_view name = known->second;
    if (name == "Hlo Proto" || name == "hlo_proto") {
      stats.hlo_proto = proto::bytes_of(stat, stat_field::as_bytes);
      return;
    }
    const StatValue value = value_of(stat);
    if (name == "hlo_op") stats.hlo_op = text_value(value);
    if (name == "hlo_category") stats.hlo_category = text_value(value);
    if (name == "tf_op") stats.tf_op = text_value(value);
    if (name == "long_name") stats.long_name = text_value(value);
    if (name == "program_id") stats.program_id = program(value);
    if (name == "flops") stats.flops = number(value, name);
    if (name == "bytes_accessed") stats.bytes_accessed = number(value, name);
    if (name == "device_offset_ps") stats.device_offset_ps = picoseconds(value, name);
    if (name == "device_duration_ps") stats.device_duration_ps = picoseconds(value, name);
    if (name == "self_duration_ps") stats.self_duration_ps = picoseconds(value, name);
  }

  static std::optional<std::uint64_t> program(const StatValue& value) {
    if (const auto* id = std::get_if<std::uint64_t>(&value)) return *id;
    if (const auto* id = std::get_if<std::int64_t>(&value)) return std::uint64_t(*id);
    return std::nullopt;
  }

  StatValue value_of(data_view stat) const {
    StatValue value;
    for (protozero::pbf_reader field(stat); field.next();) {
      const int tag = int(field.tag());
      const pbf_wire_type type = field.wire_type();
      if (tag == stat_field::as_double && type == pbf_wire_type::fixed64) {
        value = field.get_double();
      } else if (tag == stat_field::as_uint64 && type == pbf_wire_type::varint) {
        value = field.get_uint64();
      } else if (tag == stat_field::as_int64 && type == pbf_wire_type::varint) {
        value = field.get_int64();
      } else if (tag == stat_field::as_string && type == pbf_wire_type::length_delimited) {
        value = text(field.get_view());
      } else if (tag == stat_field::as_reference && type == pbf_wire_type::varint) {
        const auto found = stat_names_.find(field.get_uint64());
        if (found != stat_names_.end()) value = found->second;
      } else {
        field.skip();
      }
    }
    return value;
  }

  const std::string& file_;
  std::string_view bytes_;
  data_view plane_;
  std::map<std::uint64_t, std::string_view> stat_names_;
};

}  // namespace

bool is_trace(std::string_view bytes) {
  const auto is_control = [](char c) { return c >= 0 && c < ' ' && !(c >= '\t' && c <= '\r'); };
  return bytes.starts_with('\n') && std::ranges::any_of(bytes.substr(0, head_bytes), is_control);
}

std::list<TracePlane> read_trace(const std::string& file, std::string_view bytes) {
  const data_view space(bytes.data(), bytes.size());
  std::list<TracePlane> planes;
  const PlaneReader whole(file, bytes, space);
  whole.within(space, [&] {
    for (const data_view plane : proto::messages_of(space, planes_field)) {
      PlaneReader reader(file, bytes, plane);
      reader.within(plane, [&] { planes.push_back(reader.read()); });
    }
  });
  return planes;
}

}  // namespace podsim::validation::profile
