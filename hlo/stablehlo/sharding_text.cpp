// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/sharding_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hlo::stablehlo {
namespace {

constexpr std::int64_t max_mesh_devices = 1 << 24;

DeviceMesh read_mesh(std::string_view value) {
  DeviceMesh mesh;
  std::int64_t total = 1;
  const std::vector<std::string_view> fields = comma_parts(inner(value));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) {
      mesh.devices = integers(trimmed(fields[i].substr(fields[i].find('=') + 1)));
      continue;
    }
    for (const std::string_view axis : parts(fields[0])) {
      Cursor cursor(axis);
      const std::string_view name = cursor.quoted();
      cursor.expect('=', "after an axis' name");
      mesh.axes.emplace_back(name, cursor.integer());
      if (mesh.axes.back().second < 1 || mesh.axes.back().second > max_mesh_devices / total) {
        throw Fault(std::size_t(axis.data() - value.data()), axis.size(), "a mesh has 1 to 2^24 devices");
      }
      total *= mesh.axes.back().second;
    }
  }
  if (!mesh.devices.empty() && std::int64_t(mesh.devices.size()) != total) {
    throw Fault(0, value.size(), fmt::format("the mesh has {} devices, device_ids {}", total, mesh.devices.size()));
  }
  return mesh;
}

AxisPart read_axis_part(std::string_view text, const DeviceMesh& mesh) {
  Cursor cursor(text);
  const std::string_view name = cursor.quoted();
  const auto found = std::ranges::find(mesh.axes, name, &std::pair<std::string_view, std::int64_t>::first);
  if (found == mesh.axes.end()) throw Fault(0, text.size(), fmt::format("the mesh has no axis \"{}\"", name));
  AxisPart part{std::size_t(found - mesh.axes.begin()), 1, found->second};
  if (cursor.accept(':')) {
    cursor.expect('(', "of a part of an axis");
    part.before = cursor.integer();
    cursor.expect(')', "in a part of an axis");
    part.size = cursor.integer();
    check_part(part, mesh);
  }
  return part;
}

/// The name between quotes.
std::string_view quoted_name(std::string_view text) {
  Cursor cursor(text);
  return cursor.quoted();
}

/// Reads #stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>.
AxisPart read_axis_reference(std::string_view text, const DeviceMesh& mesh) {
  const std::string_view part = field(text, "sub_axis_info");
  const std::string name = fmt::format("\"{}\"", quoted_name(field(text, "name")));
  return read_axis_part(part.empty() ? name : fmt::format("{}:{}", name, part), mesh);
}

/// Reads #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<...>>.
DeviceMesh read_listed_mesh(std::string_view text) {
  DeviceMesh mesh;
  for (const std::string_view axis : parts(field(text, "axes"))) {
    mesh.axes.emplace_back(quoted_name(field(axis, "name")), integer(field(axis, "size")));
  }
  if (const std::string_view devices = field(text, "device_ids"); !devices.empty()) mesh.devices = integers(devices);
  return mesh;
}

/// What a sharding says, as it is written.
struct Written {
  std::vector<std::vector<AxisPart>> dimensions;
  bool names_axes = false, open = false, unreduced = false, has_priority = false;
};

Written read_written(const std::vector<std::string_view>& fields, const DeviceMesh& mesh) {
  Written written;
  for (std::size_t i = 2; i < fields.size(); ++i) written.unreduced |= fields[i].starts_with("unreduced");
  for (std::size_t i = 2; i < fields.size(); ++i) written.names_axes |= fields[i].starts_with("replicated");
  if (fields.size() < 2) return written;
  for (const std::string_view dimension : parts(fields[1])) {
    written.has_priority |= !dimension.ends_with('}');
    std::vector<AxisPart>& axes = written.dimensions.emplace_back();
    for (const std::string_view axis : parts(dimension.substr(0, dimension.rfind('}') + 1))) {
      if (axis == "?") {
        written.open = true;
      } else {
        axes.push_back(read_axis_part(axis, mesh));
        written.names_axes = true;
      }
    }
  }
  return written;
}

std::vector<AxisPart> whole_axes(const DeviceMesh& mesh, const std::vector<std::string_view>& names) {
  std::vector<AxisPart> axes;
  for (const std::string_view name : names) axes.push_back(read_axis_part(name, mesh));
  return axes;
}

}  // namespace

void ShardingTexts::add_mesh(const NamedMesh& mesh) { meshes_.emplace_back(mesh.name, read_mesh(mesh.value)); }

std::vector<std::string_view> ShardingTexts::list(std::string_view value) {
  if (value.starts_with('#')) value = inner(value);
  return parts(value);
}

DeviceMesh ShardingTexts::mesh_of(std::string_view text) const {
  if (text.starts_with("mesh")) return read_mesh(text.substr(4));
  Cursor cursor(text);
  const std::string_view name = cursor.symbol();
  for (const auto& [known, mesh] : meshes_) {
    if (known == name) return mesh;
  }
  throw Fault(0, text.size(), fmt::format("there is no sdy.mesh @{}", name));
}

ShardingTexts::Result ShardingTexts::convert(std::string_view value,
                                             const std::vector<std::string_view>& manual) const {
  const std::vector<std::string_view> fields = parts(inner(value));
  if (fields.empty()) throw Fault(0, value.size(), "a sharding names its mesh");
  const DeviceMesh mesh = mesh_of(fields[0]);
  if (mesh.axes.empty()) {
    if (mesh.devices.empty()) return {};
    return {fmt::format("{{maximal device={}}}", mesh.devices[0]), false, false, false};
  }
  const Written written = read_written(fields, mesh);
  if (!written.names_axes && written.open) return {};
  Result result{tiled_sharding(mesh, written.dimensions, whole_axes(mesh, manual)), written.open && written.names_axes,
                written.unreduced, written.has_priority};
  return result;
}

Integers ShardingTexts::parts_along(std::string_view sharding, std::size_t rank,
                                    const std::vector<std::string_view>& axes) const {
  const std::vector<std::string_view> fields = parts(inner(sharding));
  if (fields.empty()) throw Fault(0, sharding.size(), "a sharding names its mesh");
  const DeviceMesh mesh = mesh_of(fields[0]);
  const std::vector<AxisPart> along = whole_axes(mesh, axes);
  const Written written = read_written(fields, mesh);
  if (written.dimensions.size() != rank) {
    throw Fault(0, sharding.size(),
                fmt::format("a sharding of {} dimensions for an array of {}", written.dimensions.size(), rank));
  }
  Integers counts(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    for (const AxisPart& part : written.dimensions[d]) {
      const bool is_along = std::ranges::find(along, part.axis, &AxisPart::axis) != along.end();
      if (is_along) counts[d] *= part.size;
    }
  }
  return counts;
}

std::string ShardingTexts::manual(std::string_view sharding, std::size_t rank,
                                  const std::vector<std::string_view>& axes) const {
  const std::vector<std::string_view> fields = parts(inner(sharding));
  if (fields.empty()) throw Fault(0, sharding.size(), "a sharding names its mesh");
  const DeviceMesh mesh = mesh_of(fields[0]);
  const std::vector<AxisPart> along = whole_axes(mesh, axes);
  if (along.size() >= mesh.axes.size()) return "{manual}";
  return tiled_sharding(mesh, std::vector<std::vector<AxisPart>>(rank), along);
}

std::string ShardingTexts::device_groups(std::string_view value) const {
  const std::string_view named = field(value, "mesh");
  const DeviceMesh mesh = named.starts_with('@') ? mesh_of(named) : read_listed_mesh(named);
  std::vector<AxisPart> along;
  for (const std::string_view axis : parts(field(value, "axes"))) along.push_back(read_axis_reference(axis, mesh));
  return device_groups_along(mesh, along);
}

Integers ShardingTexts::open_dimensions(std::string_view sharding) {
  Integers open;
  const std::vector<std::string_view> fields = parts(inner(sharding));
  if (fields.size() < 2) return open;
  const std::vector<std::string_view> dimensions = parts(fields[1]);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d].find('?') != std::string_view::npos) open.push_back(std::int64_t(d));
  }
  return open;
}

}  // namespace podsim::hlo::stablehlo
