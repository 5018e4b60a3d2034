// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/parts/hbm/custom_address_map.h"

namespace podsim::hw::memory::dram {

using parts::hbm::DramAddress;

/// The bursts of a request that are in one DRAM row.
struct DramPart {
  int pseudo_channel = 0;
  int bank = 0;  ///< in its pseudo-channel: bank_group * banks_per_group + bank
  std::int64_t row = 0;
  std::int64_t bursts = 0;
};

/// Maps byte addresses of one core's half to channels, banks, rows and columns. Interleave units of `interleave` bytes
/// go round the channels. The address within a channel, counted in bursts, is divided into bit fields in the configured
/// order. Two hashes are optional. Each is its own inverse while the bits above stay the same, so no two bursts share a
/// location:
/// - channel: XOR with every higher group of address bits of the same width;
/// - pseudo-channel, bank group and bank, combined into one number: XOR with every group of row bits of the same width.
/// A registered map (parts/hbm/custom_address_map.h) replaces units, order and hashes.
class AddressMap {
 public:
  explicit AddressMap(const parts::hbm::DramParameters& parameters);

  int channel_of(std::uint64_t address) const;
  DramAddress decode(std::uint64_t address) const;
  /// Returns whether the bytes are within one interleave unit, as every request must be.
  bool in_one_unit(std::uint64_t address, base::Bytes bytes) const;
  /// Splits a request's bursts by row, in order of address, into `parts`, which it overwrites. A partly covered burst
  /// counts whole.
  void split(std::uint64_t address, base::Bytes bytes, std::vector<DramPart>& parts) const;

 private:
  struct Field {
    int shift = 0;
    std::uint64_t mask = 0;
    std::uint64_t of(std::uint64_t bursts) const { return (bursts >> shift) & mask; }
  };
  struct BankRow {
    int pseudo_channel, bank;
    std::int64_t row;
  };

  /// The number of a burst among those of its channel; for a registered map, of the half.
  std::uint64_t local_burst(std::uint64_t address) const;
  BankRow bank_row_of(std::uint64_t local_burst) const;
  const Field& field(parts::hbm::AddressField name) const { return fields_[std::size_t(name)]; }

  int burst_bits_, unit_bits_, channel_bits_;
  int group_bits_, bank_bits_;  ///< bits that number a group in its pseudo-channel, a bank in its group
  bool bank_hash_, channel_hash_;
  std::array<Field, 5> fields_;
  std::shared_ptr<const parts::hbm::CustomAddressMap> custom_;    ///< nullptr: fields_
  std::shared_ptr<const parts::hbm::DramParameters> parameters_;  ///< of a registered map
};

}  // namespace podsim::hw::memory::dram
