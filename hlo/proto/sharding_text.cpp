// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/sharding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/proto/field_values.h"

namespace podsim::hlo::proto {
namespace {

using protozero::data_view;

/// OpSharding::Type.
enum Type : std::int64_t { replicated, maximal, tuple, other, manual, unknown, unreduced };
constexpr int deepest_sharding = 64;

std::string iota_text(const Integers& sizes, const Integers& permutation) {
  const std::string text = fmt::format("<=[{}]", fmt::join(sizes, ","));
  const bool in_order = std::ranges::is_sorted(permutation);
  return in_order ? text : fmt::format("{}T({})", text, fmt::join(permutation, ","));
}

std::string tiled_text(data_view sharding) {
  const Integers sizes = integers_of(sharding, 3), devices = integers_of(sharding, 4), iota = integers_of(sharding, 9),
                 permutation = integers_of(sharding, 10);
  std::string text = fmt::format("{{devices=[{}]", fmt::join(sizes, ","));
  text += iota.empty() ? fmt::format("{}", fmt::join(devices, ",")) : iota_text(iota, permutation);
  const Integers last = integers_of(sharding, 8);
  if (!last.empty()) {
    std::vector<std::string_view> kinds;
    for (const std::int64_t kind : last) {
      kinds.emplace_back(kind == manual ? "manual" : kind == unreduced ? "unreduced" : "replicated");
    }
    text += fmt::format(" last_tile_dims={{{}}}", fmt::join(kinds, ", "));
  } else if (integer_of(sharding, 6) != 0) {
    text += " last_tile_dim_replicate";
  }
  if (integer_of(sharding, 11) != 0) {
    text += fmt::format(" {} {}", integer_of(sharding, 13) == 0 ? "shard_as" : "shard_like", integer_of(sharding, 12));
  }
  return text + "}";
}

std::string nested_text(data_view sharding, int depth) {
  if (depth == deepest_sharding) throw base::InputError("shardings nest too deep");
  if (!bytes_of(sharding, 14).empty())
    throw base::InputError("a sharding names the axes of a mesh, which is read in text");
  switch (integer_of(sharding, 1)) {
    case replicated:
      return "{replicated}";
    case maximal: {
      const Integers devices = integers_of(sharding, 4);
      return fmt::format("{{maximal device={}}}", devices.empty() ? 0 : devices.front());
    }
    case tuple: {
      std::vector<std::string> parts;
      for (const data_view part : messages_of(sharding, 5)) parts.push_back(nested_text(part, depth + 1));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    case other:
      return tiled_text(sharding);
    case manual:
      return "{manual}";
    case unreduced:
      return "{unreduced}";
    default:
      return "{unknown}";
  }
}

std::string quoted(data_view value) {
  std::string text = "\"";
  for (const char c : std::string(value)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + '"';
}

bool is_word(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

}  // namespace

std::string sharding_text(data_view sharding) { return nested_text(sharding, 0); }

std::string frontend_attributes_text(data_view attributes) {
  std::string text;
  for (const data_view entry : messages_of(attributes, 1)) {
    const auto name = std::string(bytes_of(entry, 1));
    if (!is_word(name)) continue;
    text += (text.empty() ? "{" : ",") + name + "=" + quoted(bytes_of(entry, 2));
  }
  return text.empty() ? text : text + "}";
}

std::string device_list_text(data_view devices) {
  if (!bytes_of(devices, 3).empty()) throw base::InputError("groups name the axes of a mesh, which are read in text");
  if (const data_view iota = bytes_of(devices, 2); !iota.empty()) {
    return fmt::format("[{},{}]{}", integer_of(iota, 1), integer_of(iota, 2),
                       iota_text(integers_of(iota, 3), integers_of(iota, 4)));
  }
  std::vector<std::string> groups;
  for (const data_view group : messages_of(devices, 1)) {
    groups.push_back(fmt::format("{{{}}}", fmt::join(integers_of(group, 1), ",")));
  }
  return groups.empty() ? "" : fmt::format("{{{}}}", fmt::join(groups, ","));
}

}  // namespace podsim::hlo::proto
