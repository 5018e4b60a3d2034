// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/dram_constraints.h"

#include <initializer_list>

namespace podsim::hw::memory::dram {

std::string_view to_string(DramCommand command) {
  constexpr std::array<std::string_view, dram_command_count> names = {"ACT", "RD",   "WR",    "RDA",  "WRA",
                                                                      "PRE", "PREA", "REFab", "REFpb"};
  return names[std::size_t(command)];
}

namespace {

using Commands = std::initializer_list<DramCommand>;

/// Collects rules as data sheets group them: any of these commands, then any of those.
class Table {
 public:
  void add(DramScope scope, Commands previous, Commands next, base::Cycles clocks, int window = 1) {
    for (const DramCommand before : previous) {
      for (const DramCommand after : next) rows_.push_back({scope, before, after, clocks, window});
    }
  }
  std::vector<DramConstraint> rows() && { return std::move(rows_); }

 private:
  std::vector<DramConstraint> rows_;
};

}  // namespace

std::vector<DramConstraint> dram_constraints(const parts::hbm::DramOrganization& organization,
                                             const parts::hbm::DramTiming& t) {
  using enum DramCommand;
  using enum DramScope;
  static constexpr Commands reads = {read, read_precharge};
  static constexpr Commands writes = {write, write_precharge};
  static constexpr Commands columns = {read, read_precharge, write, write_precharge};
  static constexpr Commands rows = {activate, precharge, precharge_all, refresh_all, refresh_bank};
  const base::Cycles clock(1);
  const base::Cycles read_to_write = t.cl + organization.burst_clocks + t.read_to_write_gap - t.cwl;
  const base::Cycles write_end = t.cwl + organization.burst_clocks;
  const base::Cycles write_to_precharge = write_end + t.wr;

  Table table;
  // Command buses.
  table.add(channel, {activate}, rows, t.activate_clocks);
  table.add(channel, {precharge, precharge_all, refresh_all, refresh_bank}, rows, clock);
  table.add(channel, columns, columns, clock);
  // Data pins.
  table.add(pseudo_channel, reads, reads, t.ccd_s);
  table.add(pseudo_channel, writes, writes, t.ccd_s);
  table.add(bank_group, reads, reads, t.ccd_l);
  table.add(bank_group, writes, writes, t.ccd_l);
  table.add(pseudo_channel, reads, writes, read_to_write);
  table.add(pseudo_channel, writes, reads, write_end + t.wtr_s);
  table.add(bank_group, writes, reads, write_end + t.wtr_l);
  // A bank's row.
  table.add(bank, {activate}, reads, t.rcd_read);
  table.add(bank, {activate}, writes, t.rcd_write);
  table.add(bank, {activate}, {precharge}, t.ras);
  table.add(bank, {activate}, {activate, refresh_bank}, t.rc);
  table.add(bank, {read}, {precharge}, t.rtp);
  table.add(bank, {write}, {precharge}, write_to_precharge);
  table.add(bank, {precharge}, {activate, refresh_bank}, t.rp);
  table.add(bank, {read_precharge}, {activate, refresh_bank}, t.rtp + t.rp);
  table.add(bank, {write_precharge}, {activate, refresh_bank}, write_to_precharge + t.rp);
  // Current drawn by activates.
  table.add(pseudo_channel, {activate}, {activate, refresh_bank}, t.rrd_s);
  table.add(bank_group, {activate}, {activate, refresh_bank}, t.rrd_l);
  table.add(pseudo_channel, {activate}, {activate}, t.faw, 4);
  // All banks at once.
  table.add(pseudo_channel, {activate}, {precharge_all}, t.ras);
  table.add(pseudo_channel, {activate}, {refresh_all}, t.rc);
  table.add(pseudo_channel, {read}, {precharge_all}, t.rtp);
  table.add(pseudo_channel, {write}, {precharge_all}, write_to_precharge);
  table.add(pseudo_channel, {precharge}, {refresh_all}, t.rp);
  table.add(pseudo_channel, {precharge_all}, {activate, refresh_bank, refresh_all}, t.rp);
  table.add(pseudo_channel, {read_precharge}, {refresh_all}, t.rtp + t.rp);
  table.add(pseudo_channel, {write_precharge}, {refresh_all}, write_to_precharge + t.rp);
  // Refresh.
  table.add(pseudo_channel, {refresh_all}, {activate, refresh_all, refresh_bank}, t.rfc_all);
  table.add(pseudo_channel, {refresh_bank}, {refresh_all}, t.rfc_bank);
  table.add(pseudo_channel, {refresh_bank}, {activate, refresh_bank}, t.rrefd);
  table.add(bank, {refresh_bank}, {activate, refresh_bank}, t.rfc_bank);
  return std::move(table).rows();
}

}  // namespace podsim::hw::memory::dram
