// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.h"
#include "base/units.h"

/// One core's half of the HBM as the bank-level model sees it. A memory standard is these values and nothing else: HBM2
/// and HBM3 are two machine files.
namespace podsim::hw {

/// [hbm]: what there is. Counts and sizes are powers of two.
struct DramOrganization {
  std::int64_t channels = 0;         ///< of one core's half
  std::int64_t pseudo_channels = 0;  ///< per channel; they share the channel's row and column command buses
  std::int64_t bank_groups = 0;      ///< per pseudo-channel
  std::int64_t banks_per_group = 0;
  std::int64_t rows = 0;      ///< per bank, what the capacity needs
  base::Bytes row;            ///< of a bank
  base::Bytes burst;          ///< what one column command moves
  base::Cycles burst_clocks;  ///< that it occupies a pseudo-channel's data pins

  std::int64_t banks() const { return bank_groups * banks_per_group; }  ///< per pseudo-channel
  std::int64_t bursts_per_row() const { return row / burst; }
};

/// [hbm_timing]: in clocks of the memory, with JEDEC's names (a suffix _s between bank groups, _l within one).
struct DramTiming {
  base::Cycles cl, cwl;              ///< column command to first data
  base::Cycles rcd_read, rcd_write;  ///< activate to column command
  base::Cycles rp, ras, rc;          ///< precharge to activate; activate to precharge; activate to activate
  base::Cycles wr, rtp;              ///< end of write data to precharge; read to precharge
  base::Cycles ccd_s, ccd_l;         ///< column command to column command of the same direction
  base::Cycles rrd_s, rrd_l, faw;    ///< activate to activate; five activates
  base::Cycles wtr_s, wtr_l;         ///< end of write data to read
  base::Cycles read_to_write_gap;    ///< clocks that the data pins rest between read and write data
  base::Cycles rfc_all, rfc_bank;    ///< duration of a refresh of all banks, of one bank
  base::Cycles rrefd;                ///< refresh of a bank to refresh or activate of another
  base::Cycles refi;                 ///< every bank is refreshed once per so many clocks
  base::Cycles activate_clocks;      ///< that an activate occupies the row command bus
};

/// What a byte address within the half means.
enum class AddressField { row, bank, bank_group, pseudo_channel, column };

struct AddressOrder {
  base::Bytes interleave;            ///< consecutive bytes in one channel
  std::vector<AddressField> fields;  ///< of the address within a channel in bursts, most significant first
  bool bank_hash = false;            ///< XOR pseudo-channel, group and bank with the row
  bool channel_hash = false;         ///< XOR the channel with all higher bits of the address
};

enum class PagePolicy { open, closed };
enum class RefreshPolicy { none, per_bank, all_bank };

/// How a channel's controller schedules; counts are bursts of one pseudo-channel.
struct ControllerPolicy {
  std::int64_t read_queue = 0;
  std::int64_t write_queue = 0;
  std::int64_t drain_high = 0;        ///< as many writes waiting start a drain
  std::int64_t drain_low = 0;         ///< a drain leaves so many
  std::int64_t starvation_bound = 0;  ///< a burst is overtaken by at most so many younger ones
  PagePolicy page = PagePolicy::open;
  RefreshPolicy refresh = RefreshPolicy::per_bank;
};

struct DramParameters {
  base::Frequency clock;  ///< of commands; data may move two or four times per clock
  DramOrganization organization;
  DramTiming timing;
  AddressOrder address;
  ControllerPolicy policy;

  /// Of all channels.
  base::Bytes capacity() const;
  /// Of the data pins of all channels.
  base::Bandwidth pin_rate() const;
};

/// InputError for a value out of its range, at the place that set it.
DramParameters read_dram_parameters(const base::Config& config);

}  // namespace podsim::hw
