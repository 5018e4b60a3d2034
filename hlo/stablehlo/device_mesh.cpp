// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/device_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "hlo/stablehlo/cursor.h"

namespace podsim::hlo::stablehlo {
namespace {

/// The axes of a mesh, split where parts of them are used.
class Factors {
 public:
  explicit Factors(const DeviceMesh& mesh) : mesh_(mesh), cuts_(mesh.axes.size()) {
    for (std::size_t i = 0; i < cuts_.size(); ++i) cuts_[i] = {1, mesh.axes[i].second};
  }

  void cut(const std::vector<AxisPart>& parts) {
    for (const AxisPart& part : parts) cuts_[part.axis].insert({part.before, part.before * part.size});
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

  /// Appends the factors of parts to the order, and returns their product.
  std::int64_t use(const std::vector<AxisPart>& parts) {
    std::int64_t product = 1;
    for (const AxisPart& part : parts) {
      for (std::size_t i = 0; i < factors_.size(); ++i) {
        const AxisPart& factor = factors_[i];
        const bool inside = factor.before >= part.before && factor.before < part.before * part.size;
        if (factor.axis != part.axis || !inside) continue;
        if (used_[i]) throw Fault(0, 1, fmt::format("axis \"{}\" is used twice", mesh_.axes[part.axis].first));
        used_[i] = true;
        order_.push_back(i);
      }
      product *= part.size;
    }
    return product;
  }

  /// Inserts the factors that are not used, before those that are or after them, and returns their product.
  std::int64_t use_rest(bool before = false) {
    std::int64_t product = 1;
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      if (used_[i]) continue;
      rest.push_back(i);
      product *= factors_[i].size;
    }
    order_.insert(before ? order_.begin() : order_.end(), rest.begin(), rest.end());
    return product;
  }

  bool lists_devices() const { return !mesh_.devices.empty(); }

  /// The devices in iota form, in order: "<=[2,4]T(1,0)".
  std::string iota() const {
    const Integers sizes = factor_sizes();
    if (std::ranges::is_sorted(order_)) return fmt::format("<=[{}]", total());
    return fmt::format("<=[{}]T({})", fmt::join(sizes, ","), fmt::join(order_, ","));
  }

  /// The devices that the mesh lists, in order.
  Integers listed() const {
    const Integers sizes = factor_sizes();
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

 private:
  Integers factor_sizes() const {
    Integers sizes;
    for (const AxisPart& factor : factors_) sizes.push_back(factor.size);
    return sizes;
  }

  std::int64_t total() const {
    std::int64_t product = 1;
    for (const AxisPart& factor : factors_) product *= factor.size;
    return product;
  }

  const DeviceMesh& mesh_;
  std::vector<std::set<std::int64_t>> cuts_;
  std::vector<AxisPart> factors_;
  std::vector<bool> used_;
  std::vector<std::size_t> order_;
};

}  // namespace

void check_part(const AxisPart& part, const DeviceMesh& mesh) {
  const std::int64_t whole = mesh.axes[part.axis].second;
  const bool fits = part.before >= 1 && part.size >= 1 && part.before <= whole && part.size <= whole / part.before &&
                    whole % (part.before * part.size) == 0;
  if (!fits) throw Fault(0, 1, fmt::format("the axis of size {} has no such part", whole));
}

std::string tiled_sharding(const DeviceMesh& mesh, const std::vector<std::vector<AxisPart>>& dimensions,
                           const std::vector<AxisPart>& manual) {
  Factors factors(mesh);
  for (const auto& axes : dimensions) factors.cut(axes);
  factors.cut(manual);
  factors.finish();
  Integers tiles;
  for (const auto& axes : dimensions) tiles.push_back(factors.use(axes));
  const bool all_whole = std::ranges::all_of(tiles, [](std::int64_t tile) { return tile == 1; });
  if (all_whole && manual.empty()) return "{replicated}";
  const std::int64_t manual_devices = factors.use(manual);
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
  const std::string devices =
      factors.lists_devices() ? fmt::format("{}", fmt::join(factors.listed(), ",")) : factors.iota();
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), devices, last);
}

std::string device_groups_along(const DeviceMesh& mesh, const std::vector<AxisPart>& along) {
  Factors factors(mesh);
  factors.cut(along);
  factors.finish();
  const std::int64_t size = factors.use(along);
  const std::int64_t count = factors.use_rest(true);
  if (!factors.lists_devices()) return fmt::format("[{},{}]{}", count, size, factors.iota());
  const Integers devices = factors.listed();
  std::vector<std::string> groups;
  for (auto next = devices.begin(); next != devices.end(); next += size) {
    groups.push_back(fmt::format("{{{}}}", fmt::join(next, next + size, ",")));
  }
  return fmt::format("{{{}}}", fmt::join(groups, ","));
}

}  // namespace podsim::hlo::stablehlo
