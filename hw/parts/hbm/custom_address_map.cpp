// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/custom_address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/registry.h"

namespace podsim::hw::parts::hbm {
namespace {

constexpr std::size_t fields_of_an_address = 5;

base::Registry<CustomAddressMap>& custom_maps() {
  static base::Registry<CustomAddressMap> registry;
  return registry;
}

bool is_within(const DramAddress& at, const DramOrganization& memory) {
  const auto below = [](std::int64_t index, std::int64_t count) { return index >= 0 && index < count; };
  return below(at.channel, memory.channels) && below(at.pseudo_channel, memory.pseudo_channels) &&
         below(at.bank_group, memory.bank_groups) && below(at.bank, memory.banks_per_group) &&
         below(at.row, memory.rows) && below(at.column, memory.bursts_per_row());
}

std::uint64_t number_of(const DramAddress& at, const DramOrganization& memory) {
  std::uint64_t number = std::uint64_t(at.channel);
  const auto append = [&](std::int64_t index, std::int64_t count) {
    number = number * std::uint64_t(count) + std::uint64_t(index);
  };
  append(at.pseudo_channel, memory.pseudo_channels);
  append(at.bank_group, memory.bank_groups);
  append(at.bank, memory.banks_per_group);
  append(at.row, memory.rows);
  append(at.column, memory.bursts_per_row());
  return number;
}

std::vector<std::uint64_t> tried_bursts(std::uint64_t bursts) {
  constexpr std::uint64_t first = 65536, around = 64;
  std::vector<std::uint64_t> tried;
  const auto append = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t burst = begin; burst < std::min(end, bursts); ++burst) tried.push_back(burst);
  };
  append(0, first);
  for (std::uint64_t power = 2 * first; power < bursts; power *= 2) append(power - around, power + around);
  append(std::max(first, bursts - std::min(around, bursts)), bursts);
  return tried;
}

}  // namespace

CustomAddressMap::~CustomAddressMap() = default;

void register_address_map(std::shared_ptr<const CustomAddressMap> map) {
  custom_maps().add(std::move(map), {"row", "bank", "bank_group", "pseudo_channel", "column"});
}

std::vector<AddressField> order_of_custom_map(std::string_view name) {
  const auto& maps = custom_maps().objects();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i]->name() == name) return {AddressField(fields_of_an_address + i)};
  }
  return {};
}

std::shared_ptr<const CustomAddressMap> custom_map(const std::vector<AddressField>& order) {
  if (order.size() != 1) return nullptr;
  return custom_maps().objects().at(std::size_t(order.front()) - fields_of_an_address);
}

std::vector<std::string> custom_map_names() {
  std::vector<std::string> names;
  for (const auto& map : custom_maps().objects()) names.emplace_back(map->name());
  return names;
}

std::string fault_of(const CustomAddressMap& map, const DramParameters& memory) {
  const auto bursts = std::uint64_t(memory.capacity() / memory.organization.burst);
  const auto unit = std::uint64_t(memory.address.interleave / memory.organization.burst);
  std::map<std::uint64_t, std::uint64_t> burst_at;
  for (const std::uint64_t burst : tried_bursts(bursts)) {
    const DramAddress at = map.locate(burst, memory);
    if (!is_within(at, memory.organization)) return fmt::format("burst {} lies outside the memory", burst);
    const auto other = burst_at.emplace(number_of(at, memory.organization), burst).first;
    if (other->second != burst) return fmt::format("bursts {} and {} have one location", other->second, burst);
    if (at.channel != map.locate(burst / unit * unit, memory).channel) {
      return fmt::format("burst {} is in another channel than the rest of its 'hbm.interleave'", burst);
    }
  }
  return "";
}

}  // namespace podsim::hw::parts::hbm
