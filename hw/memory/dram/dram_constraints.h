// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/parts/hbm/dram_parameters.h"

namespace podsim::hw::memory::dram {

/// Commands of a channel. A read or write may close its row by itself (auto-precharge).
enum class DramCommand : std::uint8_t {
  activate,
  read,
  write,
  read_precharge,
  write_precharge,
  precharge,
  precharge_all,
  refresh_all,
  refresh_bank
};
constexpr std::size_t dram_command_count = 9;
/// Name as in data sheets: ACT, RD, WR, RDA, WRA, PRE, PREA, REFab, REFpb.
std::string_view to_string(DramCommand command);

enum class DramScope : std::uint8_t { channel, pseudo_channel, bank_group, bank };
constexpr std::size_t dram_scope_count = 4;

/// Command `next` comes at least `clocks` after the `window`-th last `previous` in the same unit of this scope. The
/// window is 1 except for tFAW, which counts from the fourth last activate.
struct DramConstraint {
  DramScope scope;
  DramCommand previous;
  DramCommand next;
  base::Cycles clocks;
  int window = 1;
};

/// Returns all timing rules of a memory. No other part of the model interprets a timing parameter as an order of
/// commands.
///
/// The data of a burst occupy the pins for burst_clocks, from CL (read) or CWL (write) clocks after the command. Hence:
///   read to write   CL + burst + gap - CWL     the pins rest for a gap between the directions
///   write to read   CWL + burst + WTR          WTR_L in the same bank group, else WTR_S
///   write to precharge  CWL + burst + WR
/// Auto-precharge begins when a precharge could. A refresh requires that its banks are closed. The rules of the channel
/// are those of its two command buses: row commands, where an activate takes activate_clocks, and column commands.
std::vector<DramConstraint> dram_constraints(const parts::hbm::DramOrganization& organization,
                                             const parts::hbm::DramTiming& timing);

}  // namespace podsim::hw::memory::dram
