// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/parts/hbm/dram_address.h"
#include "hw/parts/hbm/dram_parameters.h"

namespace podsim::hw::parts::hbm {

/// A map of addresses that a program adds, chosen by its name as `hbm.address_order`. The keys bank_hash and
/// channel_hash do not act on it.
class CustomAddressMap {
 public:
  virtual ~CustomAddressMap();

  virtual std::string_view name() const = 0;
  /// The location of a burst of a core's half, counted from address 0. A function of its arguments alone. No two bursts
  /// have one location, all are within `memory.organization`, and the bursts of one `memory.address.interleave` are in
  /// one channel.
  virtual DramAddress locate(std::uint64_t burst, const DramParameters& memory) const = 0;
};

/// Makes a map known to `hbm.address_order`. To be called before the program runs. Throws std::invalid_argument for a
/// name that is taken or is not a word (base/registry.h).
void register_address_map(std::shared_ptr<const CustomAddressMap> map);

/// The order of fields that stands for a registered map: one value after those of AddressField. Empty for an unknown
/// name.
std::vector<AddressField> order_of_custom_map(std::string_view name);
/// The registered map of such an order; nullptr for an order of fields.
std::shared_ptr<const CustomAddressMap> custom_map(const std::vector<AddressField>& order);
/// The names of the registered maps.
std::vector<std::string> custom_map_names();

/// What is wrong with the locations of the first 65536 bursts, of those around every power of two, and of the last
/// ones; empty if nothing is.
std::string fault_of(const CustomAddressMap& map, const DramParameters& memory);

}  // namespace podsim::hw::parts::hbm
