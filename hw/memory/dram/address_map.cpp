// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/address_map.h"

#include <bit>
#include <ranges>

namespace podsim::hw::memory::dram {

namespace {

/// Number of bits that `count` different numbers need.
int bits_of(std::int64_t count) { return int(std::bit_width(std::uint64_t(count - 1))); }

std::uint64_t low_bits(int count) { return (std::uint64_t(1) << count) - 1; }

/// XOR of the groups of `bits` bits of a number.
std::uint64_t fold(std::uint64_t number, int bits) {
  std::uint64_t sum = 0;
  for (; bits > 0 && number != 0; number >>= bits) sum ^= number & low_bits(bits);
  return sum;
}

int width_of(parts::hbm::AddressField field, const parts::hbm::DramOrganization& organization) {
  switch (field) {
    case parts::hbm::AddressField::row:
      return bits_of(organization.rows);
    case parts::hbm::AddressField::bank:
      return bits_of(organization.banks_per_group);
    case parts::hbm::AddressField::bank_group:
      return bits_of(organization.bank_groups);
    case parts::hbm::AddressField::pseudo_channel:
      return bits_of(organization.pseudo_channels);
    case parts::hbm::AddressField::column:
      return bits_of(organization.bursts_per_row());
  }
  return 0;
}

}  // namespace

AddressMap::AddressMap(const parts::hbm::DramParameters& parameters)
    : burst_bits_(bits_of(parameters.organization.burst.value())),
      unit_bits_(bits_of(parameters.address.interleave.value())),
      channel_bits_(bits_of(parameters.organization.channels)),
      group_bits_(bits_of(parameters.organization.bank_groups)),
      bank_bits_(bits_of(parameters.organization.banks_per_group)),
      bank_hash_(parameters.address.bank_hash),
      channel_hash_(parameters.address.channel_hash),
      custom_(parts::hbm::custom_map(parameters.address.fields)) {
  if (custom_) {
    parameters_ = std::make_shared<const parts::hbm::DramParameters>(parameters);
    return;
  }
  int shift = 0;
  for (const parts::hbm::AddressField name : parameters.address.fields | std::views::reverse) {
    const int width = width_of(name, parameters.organization);
    fields_[std::size_t(name)] = {shift, low_bits(width)};
    shift += width;
  }
}

int AddressMap::channel_of(std::uint64_t address) const {
  if (custom_) return custom_->locate(address >> burst_bits_, *parameters_).channel;
  const std::uint64_t unit = address >> unit_bits_;
  return int(channel_hash_ ? fold(unit, channel_bits_) : unit & low_bits(channel_bits_));
}

std::uint64_t AddressMap::local_burst(std::uint64_t address) const {
  if (custom_) return address >> burst_bits_;
  const std::uint64_t unit = address >> (unit_bits_ + channel_bits_);
  return ((unit << unit_bits_) | (address & low_bits(unit_bits_))) >> burst_bits_;
}

AddressMap::BankRow AddressMap::bank_row_of(std::uint64_t local_burst) const {
  if (custom_) {
    const DramAddress at = custom_->locate(local_burst, *parameters_);
    return {at.pseudo_channel, (at.bank_group << bank_bits_) | at.bank, at.row};
  }
  const std::uint64_t row = field(parts::hbm::AddressField::row).of(local_burst);
  std::uint64_t flat = (field(parts::hbm::AddressField::pseudo_channel).of(local_burst) << (group_bits_ + bank_bits_)) |
                       (field(parts::hbm::AddressField::bank_group).of(local_burst) << bank_bits_) |
                       field(parts::hbm::AddressField::bank).of(local_burst);
  const int pseudo_channel_bits = std::popcount(field(parts::hbm::AddressField::pseudo_channel).mask);
  if (bank_hash_) flat ^= fold(row, pseudo_channel_bits + group_bits_ + bank_bits_);
  return {int(flat >> (group_bits_ + bank_bits_)), int(flat & low_bits(group_bits_ + bank_bits_)), std::int64_t(row)};
}

DramAddress AddressMap::decode(std::uint64_t address) const {
  if (custom_) return custom_->locate(address >> burst_bits_, *parameters_);
  const std::uint64_t burst = local_burst(address);
  const BankRow bank_row = bank_row_of(burst);
  return {channel_of(address),
          bank_row.pseudo_channel,
          bank_row.bank >> bank_bits_,
          int(bank_row.bank & int(low_bits(bank_bits_))),
          bank_row.row,
          std::int64_t(field(parts::hbm::AddressField::column).of(burst))};
}

bool AddressMap::in_one_unit(std::uint64_t address, base::Bytes bytes) const {
  return bytes.value() > 0 && address >> unit_bits_ == (address + std::uint64_t(bytes.value()) - 1) >> unit_bits_;
}

void AddressMap::split(std::uint64_t address, base::Bytes bytes, std::vector<DramPart>& parts) const {
  parts.clear();
  const std::uint64_t first = local_burst(address), last = local_burst(address + std::uint64_t(bytes.value()) - 1);
  for (std::uint64_t burst = first; burst <= last; ++burst) {
    const BankRow bank_row = bank_row_of(burst);
    const auto same_row = [&](const DramPart& part) {
      return part.pseudo_channel == bank_row.pseudo_channel && part.bank == bank_row.bank && part.row == bank_row.row;
    };
    const auto found = std::ranges::find_if(parts, same_row);
    if (found != parts.end()) {
      ++found->bursts;
    } else {
      parts.push_back({bank_row.pseudo_channel, bank_row.bank, bank_row.row, 1});
    }
  }
}

}  // namespace podsim::hw::memory::dram
