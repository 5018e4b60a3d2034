// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/data_view.hpp>
#include <string>

namespace podsim::hlo::proto {

/// The text of an OpSharding of xla_data.proto: "{devices=[2,1,4]<=[8] last_tile_dim_replicate}". Throws
/// base::InputError at one that has no text.
std::string sharding_text(protozero::data_view sharding);

/// The text of FrontendAttributes: "{name=\"value\",...}"; empty if there are none.
std::string frontend_attributes_text(protozero::data_view attributes);

/// The text of a CollectiveDeviceListProto: "{{0,1},{2,3}}" or "[2,2]<=[4]"; empty if it has no groups.
std::string device_list_text(protozero::data_view devices);

}  // namespace podsim::hlo::proto
