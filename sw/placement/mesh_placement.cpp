// SPDX-License-Identifier: Apache-2.0
#include "sw/placement/mesh_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace podsim::sw::placement {
namespace {

std::int64_t positions(const AxisPlacement& place) {
  std::int64_t count = 1;
  for (const SliceFactor& factor : place) count *= factor.size;
  return count;
}

/// Difference of the core numbers of two neighbouring positions along each dimension of the slice; last, for the cores
/// of a chip.
std::vector<std::int64_t> core_steps(const noc::Topology& slice, int cores_per_chip) {
  std::vector<std::int64_t> steps;
  std::int64_t step = cores_per_chip;
  for (int d = 0; d < slice.dimensions(); ++d) {
    steps.push_back(step);
    step *= slice.size(d);
  }
  steps.push_back(1);
  return steps;
}

/// The factors that each axis covers if partitions have the numbers of their cores: the fastest axis takes the cores of
/// a chip first. nullopt if an axis does not cover whole factors.
std::optional<std::vector<AxisPlacement>> natural_placements(const hlo::spmd::mesh::Mesh& mesh,
                                                             const noc::Topology& slice, int cores_per_chip) {
  std::vector<AxisPlacement> axes(mesh.axes().size());
  std::vector<std::pair<int, std::int64_t>> left{{slice.dimensions(), cores_per_chip}};
  for (int d = 0; d < slice.dimensions(); ++d) left.emplace_back(d, slice.size(d));
  std::size_t at = 0;
  std::int64_t stride = 1;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    std::int64_t size = mesh.axes()[axis].size;
    while (size > 1 && at < left.size()) {
      auto& [dimension, room] = left[at];
      const std::int64_t taken = std::min(size, room);
      if (size % taken != 0 || room % taken != 0) return std::nullopt;
      if (taken > 1) axes[axis].insert(axes[axis].begin(), SliceFactor{dimension, taken, stride});
      size /= taken;
      room /= taken;
      stride *= taken;
      if (room == 1) {
        ++at;
        stride = 1;
      }
    }
  }
  return axes;
}

std::string dimension_text(int dimension, const noc::Topology& slice) {
  if (dimension == slice.dimensions()) return "core";
  std::string name = noc::dimension_name(dimension);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return name;
}

}  // namespace

MeshPlacement MeshPlacement::natural(const hlo::spmd::mesh::Mesh& mesh, const noc::Topology& slice,
                                     int cores_per_chip) {
  MeshPlacement placement(mesh, slice, cores_per_chip);
  if (auto axes = natural_placements(mesh, slice, cores_per_chip)) placement.axes_ = *std::move(axes);
  placement.cores_.resize(std::size_t(mesh.partitions()));
  std::iota(placement.cores_.begin(), placement.cores_.end(), 0);
  return placement;
}

MeshPlacement::MeshPlacement(const hlo::spmd::mesh::Mesh& mesh, std::vector<AxisPlacement> axes,
                             const noc::Topology& slice, int cores_per_chip)
    : MeshPlacement(mesh, slice, cores_per_chip) {
  axes_ = std::move(axes);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (positions(axes_[axis]) != mesh.axes()[axis].size) {
      throw std::logic_error(fmt::format("axis {} does not fill its place", mesh.axes()[axis].name));
    }
  }
  const std::vector<std::int64_t> steps = core_steps(slice, cores_per_chip);
  std::vector<bool> taken(std::size_t(slice.nodes()) * std::size_t(cores_per_chip), false);
  for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
    std::int64_t rest = partition, core = 0;
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
      for (auto factor = axes_[axis].rbegin(); factor != axes_[axis].rend(); ++factor) {
        core += rest % factor->size * factor->stride * steps[std::size_t(factor->dimension)];
        rest /= factor->size;
      }
    }
    if (core >= std::int64_t(taken.size()) || taken[std::size_t(core)]) {
      throw std::logic_error("places of axes overlap or leave the slice");
    }
    taken[std::size_t(core)] = true;
    cores_.push_back(std::int32_t(core));
  }
}

std::vector<std::int64_t> MeshPlacement::partitions() const {
  std::vector<std::int64_t> result(std::size_t(slice_.nodes()) * std::size_t(cores_per_chip_), -1);
  for (std::size_t p = 0; p < cores_.size(); ++p) result[std::size_t(cores_[p])] = std::int64_t(p);
  return result;
}

std::string to_string(const AxisPlacement& place, const noc::Topology& slice, int cores_per_chip) {
  std::string text;
  for (const SliceFactor& factor : place) {
    if (!text.empty()) text += "+";
    text += dimension_text(factor.dimension, slice);
    const std::int64_t all = factor.dimension == slice.dimensions() ? cores_per_chip : slice.size(factor.dimension);
    if (factor.size == all) continue;
    if (factor.stride == 1) {
      text += fmt::format("[{}]", factor.size);
    } else if (factor.size * factor.stride == all) {
      text += fmt::format("/{}", factor.stride);
    } else {
      text += fmt::format("[{}]/{}", factor.size, factor.stride);
    }
  }
  return text.empty() ? "1 core" : text;
}

std::string to_string(const MeshPlacement& placement) {
  if (placement.axes().empty()) return to_string(placement.mesh()) + " in the order of the cores";
  std::string text;
  for (std::size_t axis = 0; axis < placement.axes().size(); ++axis) {
    const hlo::spmd::mesh::MeshAxis& of = placement.mesh().axes()[axis];
    text += fmt::format("{}{}={}", axis == 0 ? "" : ",", of.name, of.size);
    if (of.size > 1) {
      text += "@" + to_string(placement.axes()[axis], placement.slice(), placement.cores_per_chip());
    }
  }
  return text;
}

}  // namespace podsim::sw::placement
