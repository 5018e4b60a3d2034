// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/memory/dram_parameters.h"

namespace podsim::hw {

/// What a controller can say to a channel. A read or write may close its row by itself (auto-precharge).
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
/// As data sheets write them: ACT, RD, WR, RDA, WRA, PRE, PREA, REFab, REFpb.
std::string_view to_string(DramCommand command);

enum class DramScope : std::uint8_t { channel, pseudo_channel, bank_group, bank };
constexpr std::size_t dram_scope_count = 4;

/// `next` comes at least `clocks` after the `window`-th last `previous` in the same place of this scope: the last one
/// for all but tFAW, where the fourth last activate counts.
struct DramConstraint {
  DramScope scope;
  DramCommand previous;
  DramCommand next;
  base::Cycles clocks;
  int window = 1;
};

/// All timing rules of a memory; nothing else in the model knows what a parameter means for the order of commands.
///
/// Data of a burst occupy the pins from CL (read) or CWL (write) after the command for burst_clocks. From that:
///   read to write   CL + burst + gap - CWL     the pins rest for a gap between the directions
///   write to read   CWL + burst + WTR          in the same bank group WTR_L, else WTR_S
///   write to precharge  CWL + burst + WR
/// Auto-precharge begins when a precharge could. A refresh needs its banks closed. The channel's rules are its two
/// command buses: row commands (an activate takes activate_clocks) and column commands.
std::vector<DramConstraint> dram_constraints(const DramOrganization& organization, const DramTiming& timing);

}  // namespace podsim::hw
