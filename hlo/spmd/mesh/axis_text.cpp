// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/mesh/axis_sharding.h.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/axis_sharding.h"

namespace podsim::hlo::spmd::mesh {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail_unknown(const Mesh& mesh, std::string_view name) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  std::string hint = base::did_you_mean(name, names);
  if (hint.empty() && !names.empty()) hint = fmt::format("the mesh has: {}", fmt::join(names, ", "));
  throw base::InputError(fmt::format("'{}' is no axis of the mesh", name), std::move(hint));
}

/// The sub-axes that `range`, such as "[1:3]", selects from those of an axis; `text` is the whole word, for messages.
SubAxes part_of(const SubAxes& whole, std::string_view text, std::string_view range) {
  int first = 0, limit = 0;
  const char* const end = range.data() + range.size() - 1;
  const auto head = std::from_chars(std::min(range.data() + 1, end), end, first);
  const bool colon = head.ec == std::errc() && head.ptr != end && *head.ptr == ':';
  const auto tail = colon ? std::from_chars(head.ptr + 1, end, limit) : head;
  if (!colon || tail.ec != std::errc() || tail.ptr != end || *end != ']') {
    throw base::InputError(fmt::format("'{}' is no part of an axis", text), "such as x[0:1], its slowest prime factor");
  }
  if (first < 0 || first >= limit || limit > int(whole.size())) {
    throw base::InputError(fmt::format("'{}' is beyond the axis, which has {} prime factors", text, whole.size()));
  }
  return {whole.begin() + first, whole.begin() + limit};
}

/// Reads "x" or "x[1:3]".
SubAxes parse_axis(const Mesh& mesh, std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  const std::string_view name = text.substr(0, bracket);
  const int axis = mesh.find(name);
  if (axis < 0) fail_unknown(mesh, name);
  const SubAxes whole = mesh.sub_axes(axis);
  return bracket == text.size() ? whole : part_of(whole, text, text.substr(bracket));
}

}  // namespace

AxisSharding parse_axes(const Mesh& mesh, const std::vector<std::string>& dimensions, int rank) {
  if (int(dimensions.size()) > rank) {
    throw base::InputError(fmt::format("{} dimensions are named, but the value has {}", dimensions.size(),
                                       rank == 0 ? "none" : fmt::format("{}", rank)));
  }
  AxisSharding result = replicated(rank);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const std::string_view text = trimmed(dimensions[d]);
    if (text.empty() || text == "-") continue;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('+', begin), text.size());
      const std::string_view name = trimmed(text.substr(begin, end - begin));
      for (const SubAxis sub_axis : parse_axis(mesh, name)) {
        if (result.uses(sub_axis)) {
          throw base::InputError(fmt::format("the mesh axis '{}' cuts the value twice", name));
        }
        result.dimensions[d].push_back(sub_axis);
      }
      begin = end + 1;
    }
  }
  return result;
}

}  // namespace podsim::hlo::spmd::mesh
