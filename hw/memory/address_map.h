// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/memory/dram_parameters.h"

namespace podsim::hw {

struct DramAddress {
  int channel = 0;
  int pseudo_channel = 0;  ///< in its channel
  int bank_group = 0;      ///< in its pseudo-channel
  int bank = 0;            ///< in its group
  std::int64_t row = 0;
  std::int64_t column = 0;  ///< in bursts
  bool operator==(const DramAddress&) const = default;
};

/// Bursts of a request that lie in one row.
struct DramPart {
  int pseudo_channel = 0;
  int bank = 0;  ///< in its pseudo-channel: bank_group * banks_per_group + bank
  std::int64_t row = 0;
  std::int64_t bursts = 0;
};

/// Where the bytes of one core's half lie. Units of `interleave` bytes go round the channels; what a channel holds,
/// counted in bursts, falls into fields of bits in the configured order. Two hashes, both their own inverse while the
/// bits above stay the same, so that every burst keeps a place of its own:
///  - channel: XOR with all higher groups of as many bits;
///  - pseudo-channel, bank group and bank, taken as one number: XOR with all groups of as many bits of the row.
class AddressMap {
 public:
  explicit AddressMap(const DramParameters& parameters);

  int channel_of(std::uint64_t address) const;
  DramAddress decode(std::uint64_t address) const;
  /// Whether the bytes lie in one interleave unit, as every request must.
  bool in_one_unit(std::uint64_t address, base::Bytes bytes) const;
  /// A request's bursts by row, in the order of address; partly covered bursts count whole. Replaces `parts`.
  void split(std::uint64_t address, base::Bytes bytes, std::vector<DramPart>& parts) const;

 private:
  struct Field {
    int shift = 0;
    std::uint64_t mask = 0;
    std::uint64_t of(std::uint64_t bursts) const { return (bursts >> shift) & mask; }
  };
  struct Place {
    int pseudo_channel, bank;
    std::int64_t row;
  };

  std::uint64_t local_burst(std::uint64_t address) const;
  Place place_of(std::uint64_t local_burst) const;
  const Field& field(AddressField name) const { return fields_[std::size_t(name)]; }

  int burst_bits_, unit_bits_, channel_bits_;
  int group_bits_, bank_bits_;  ///< of a group in its pseudo-channel, of a bank in its group
  bool bank_hash_, channel_hash_;
  std::array<Field, 5> fields_;
};

}  // namespace podsim::hw
