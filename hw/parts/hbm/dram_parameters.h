// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"

/// Parameters of one core's half of the HBM at bank level. A memory standard consists of these values alone: HBM2 and
/// HBM3 are two machine files.
namespace podsim::hw::parts::hbm {

/// [hbm] Organisation of the memory. Counts and sizes are powers of two, except rows.
struct DramOrganization {
  std::int64_t channels = 0;         ///< in one core's half
  std::int64_t pseudo_channels = 0;  ///< per channel; they share the channel's row and column command buses
  std::int64_t bank_groups = 0;      ///< per pseudo-channel
  std::int64_t banks_per_group = 0;
  std::int64_t rows = 0;      ///< per bank, as many as the capacity requires
  base::Bytes row;            ///< size of a bank's row
  base::Bytes burst;          ///< data that one column command moves
  base::Cycles burst_clocks;  ///< clocks for which a burst occupies a pseudo-channel's data pins

  std::int64_t banks() const { return bank_groups * banks_per_group; }  ///< per pseudo-channel
  std::int64_t bursts_per_row() const { return row / burst; }
  bool operator==(const DramOrganization&) const = default;
};

/// [hbm_timing] Timing in clocks of the memory, with JEDEC's names (suffix _s between bank groups, _l within one).
struct DramTiming {
  base::Cycles cl, cwl;              ///< column command to first data
  base::Cycles rcd_read, rcd_write;  ///< activate to column command
  base::Cycles rp, ras, rc;          ///< precharge to activate; activate to precharge; activate to activate
  base::Cycles wr, rtp;              ///< end of write data to precharge; read to precharge
  base::Cycles ccd_s, ccd_l;         ///< column command to column command of the same direction
  base::Cycles rrd_s, rrd_l, faw;    ///< activate to activate; activate to the fourth one after it
  base::Cycles wtr_s, wtr_l;         ///< end of write data to read
  base::Cycles read_to_write_gap;    ///< clocks for which the data pins rest between read and write data
  base::Cycles rfc_all, rfc_bank;    ///< duration of a refresh of all banks, of one bank
  base::Cycles rrefd;                ///< refresh of a bank to refresh or activate of another
  base::Cycles refi;                 ///< every bank is refreshed once in this many clocks
  base::Cycles activate_clocks;      ///< clocks for which an activate occupies the row command bus

  static const base::parameters::Section<DramTiming>& section();
  bool operator==(const DramTiming&) const = default;
};

/// Fields of a byte address within the half. Values after these are registered maps (custom_address_map.h).
enum class AddressField { row, bank, bank_group, pseudo_channel, column };

struct AddressOrder {
  base::Bytes interleave;            ///< consecutive bytes in one channel
  std::vector<AddressField> fields;  ///< of the address within a channel, in bursts, most significant first;
                                     ///< or a registered map alone
  bool bank_hash = false;            ///< XOR pseudo-channel, group and bank with the row
  bool channel_hash = false;         ///< XOR the channel with all higher bits of the address
  bool operator==(const AddressOrder&) const = default;
};

enum class PagePolicy { open, closed };
enum class RefreshPolicy { none, per_bank, all_bank };

/// Scheduling policy of a channel's controller. Counts are bursts of one pseudo-channel.
struct ControllerPolicy {
  std::int64_t read_queue = 0;
  std::int64_t write_queue = 0;
  std::int64_t drain_high = 0;        ///< this many waiting writes start a drain
  std::int64_t drain_low = 0;         ///< a drain leaves this many
  std::int64_t starvation_bound = 0;  ///< at most this many younger bursts overtake a burst
  PagePolicy page = PagePolicy::open;
  RefreshPolicy refresh = RefreshPolicy::per_bank;
  std::int64_t scheduler = 0;  ///< in scheduler_names() (custom_scheduler.h)
  bool operator==(const ControllerPolicy&) const = default;
};

struct DramParameters {
  base::Frequency clock;  ///< of commands; data may move two or four times per clock
  DramOrganization organization;
  DramTiming timing;
  AddressOrder address;
  ControllerPolicy policy;

  /// The keys of [hbm] that say how the memory is built and controlled. What follows from others, the rows of a bank,
  /// is none of them.
  static const base::parameters::Section<DramParameters>& section();

  /// Capacity of all channels.
  base::Bytes capacity() const;
  /// Rate of the data pins of all channels.
  base::Bandwidth pin_rate() const;
  bool operator==(const DramParameters&) const = default;
};

/// Rejects values that do not go together, and sets what follows from others: the rows of a bank.
void complete(const base::Config& config, DramParameters& dram);

/// Reads [hbm] and [hbm_timing]. InputError for a value out of its range, at the location that set it.
DramParameters read_dram_parameters(const base::Config& config);

}  // namespace podsim::hw::parts::hbm
