// SPDX-License-Identifier: Apache-2.0
#include "sw/stablehlo/sharding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace podsim::sw::stablehlo {
namespace {

constexpr std::int64_t most_mesh_devices = 1 << 24;

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
      if (mesh.axes.back().second < 1 || mesh.axes.back().second > most_mesh_devices / total) {
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

/// A part of a mesh axis: `size` neighbours after `before`, which is 1 for all of an axis.
struct AxisPart {
  std::size_t axis = 0;
  std::int64_t before = 1, size = 1;
};

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
    if (part.before < 1 || part.size < 1 || found->second / part.before / part.size < 1 ||
        found->second % (part.before * part.size) != 0) {
      throw Fault(0, text.size(), fmt::format("the axis of size {} has no such part", found->second));
    }
  }
  return part;
}

/// The axes of a mesh, cut where parts of them are used.
class Factors {
 public:
  explicit Factors(const DeviceMesh& mesh) : mesh_(mesh), cuts_(mesh.axes.size()) {
    for (std::size_t i = 0; i < cuts_.size(); ++i) cuts_[i] = {1, mesh.axes[i].second};
  }

  void cut(const AxisPart& part) {
    cuts_[part.axis].insert(part.before);
    cuts_[part.axis].insert(part.before * part.size);
  }

  void finish() {
    for (std::size_t axis = 0; axis < cuts_.size(); ++axis) {
      std::int64_t before = 1;
      for (const std::int64_t at : cuts_[axis]) {
        if (at > before && at % before == 0) factors_.push_back({axis, before, at / before});
        if (at > before && at % before != 0) throw Fault(0, 1, "the parts of an axis overlap");
        before = at;
      }
    }
    used_.resize(factors_.size());
  }

  /// Appends the factors of a part to the order, and returns their product.
  std::int64_t use(const AxisPart& part) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      const AxisPart& factor = factors_[i];
      if (factor.axis != part.axis || factor.before < part.before || factor.before >= part.before * part.size) continue;
      if (used_[i]) throw Fault(0, 1, fmt::format("axis \"{}\" is used twice", mesh_.axes[part.axis].first));
      used_[i] = true;
      order_.push_back(i);
    }
    return part.size;
  }

  std::int64_t use_rest() {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      if (used_[i]) continue;
      order_.push_back(i);
      product *= factors_[i].size;
    }
    return product;
  }

  /// The devices in the order of the tiles: "<=[2,4]T(1,0)", or a list.
  std::string devices() const {
    Integers sizes;
    std::int64_t total = 1;
    for (const AxisPart& factor : factors_) total *= sizes.emplace_back(factor.size);
    if (!mesh_.devices.empty()) return fmt::format("{}", fmt::join(listed(sizes), ","));
    if (std::ranges::is_sorted(order_)) return fmt::format("<=[{}]", total);
    return fmt::format("<=[{}]T({})", fmt::join(sizes, ","), fmt::join(order_, ","));
  }

 private:
  Integers listed(const Integers& sizes) const {
    Integers strides(sizes.size(), 1), devices;
    for (std::size_t i = sizes.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * sizes[i - 1];
    for (std::size_t index = 0; index < mesh_.devices.size(); ++index) {
      auto rest = std::int64_t(index);
      std::int64_t at = 0;
      for (std::size_t i = order_.size(); i > 0; --i) {
        at += rest % sizes[order_[i - 1]] * strides[order_[i - 1]];
        rest /= sizes[order_[i - 1]];
      }
      devices.push_back(mesh_.devices[std::size_t(at)]);
    }
    return devices;
  }

  const DeviceMesh& mesh_;
  std::vector<std::set<std::int64_t>> cuts_;
  std::vector<AxisPart> factors_;
  std::vector<bool> used_;
  std::vector<std::size_t> order_;
};

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

/// The text of tiles and devices; empty if there is one device.
std::string tiled(const DeviceMesh& mesh, const std::vector<std::vector<AxisPart>>& dimensions,
                  const std::vector<AxisPart>& manual) {
  Factors factors(mesh);
  for (const auto& axes : dimensions) std::ranges::for_each(axes, [&](const AxisPart& part) { factors.cut(part); });
  factors.finish();
  Integers tiles;
  for (const auto& axes : dimensions) {
    std::int64_t tile = 1;
    for (const AxisPart& part : axes) tile *= factors.use(part);
    tiles.push_back(tile);
  }
  const bool all_whole = std::ranges::all_of(tiles, [](std::int64_t tile) { return tile == 1; });
  if (all_whole && manual.empty()) return "{replicated}";
  std::int64_t manual_devices = 1;
  for (const AxisPart& part : manual) manual_devices *= factors.use(part);
  const std::int64_t copies = factors.use_rest();
  if (!manual.empty() && copies == 1 && all_whole) return "{manual}";
  std::string last;
  if (!manual.empty()) {
    tiles.push_back(manual_devices);
    if (copies > 1) tiles.push_back(copies);
    last = copies > 1 ? " last_tile_dims={manual, replicated}" : " last_tile_dims={manual}";
  } else if (copies > 1) {
    tiles.push_back(copies);
    last = " last_tile_dim_replicate";
  }
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), factors.devices(), last);
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
  Result result{tiled(mesh, written.dimensions, whole_axes(mesh, manual)), written.open && written.names_axes,
                written.unreduced, written.has_priority};
  return result;
}

std::string ShardingTexts::manual(std::string_view sharding, std::size_t rank,
                                  const std::vector<std::string_view>& axes) const {
  const std::vector<std::string_view> fields = parts(inner(sharding));
  if (fields.empty()) throw Fault(0, sharding.size(), "a sharding names its mesh");
  const DeviceMesh mesh = mesh_of(fields[0]);
  if (axes.size() >= mesh.axes.size()) return "{manual}";
  return tiled(mesh, std::vector<std::vector<AxisPart>>(rank), whole_axes(mesh, axes));
}

}  // namespace podsim::sw::stablehlo
