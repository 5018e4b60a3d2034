// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/stablehlo/attribute_value.h"

/// Meshes of devices with named axes, as Shardy and HLO write them, and what is divided along their axes.
namespace podsim::hlo::stablehlo {

/// The axes of a mesh, outermost first. A mesh without axes and with one device is the device alone.
struct DeviceMesh {
  std::vector<std::pair<std::string_view, std::int64_t>> axes;
  Integers devices;  ///< by position; empty: in order
};

/// A part of a mesh axis: `size` neighbours after `before`, which is 1 for all of an axis.
struct AxisPart {
  std::size_t axis = 0;
  std::int64_t before = 1, size = 1;
};

/// Throws Fault if the axis has no such part.
void check_part(const AxisPart& part, const DeviceMesh& mesh);

/// The sharding of HLO whose dimensions are divided along these parts of axes, major to minor, and which is manual
/// along `manual`: "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", or "{replicated}" or "{manual}". Throws Fault if
/// parts overlap.
std::string tiled_sharding(const DeviceMesh& mesh, const std::vector<std::vector<AxisPart>>& dimensions,
                           const std::vector<AxisPart>& manual);

/// The groups of devices along parts of axes, in their order; each combination of the other axes has a group.
/// "[4,2]<=[2,4]T(1,0)", or "{{0,4},{1,5}}" if the mesh lists its devices. Throws Fault if parts overlap.
std::string device_groups_along(const DeviceMesh& mesh, const std::vector<AxisPart>& along);

}  // namespace podsim::hlo::stablehlo
