// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/custom_scheduler.h"

#include <gtest/gtest.h>

#include "hw/memory/dram/channel_controller.h"
#include "hw/memory/dram/stream_calibration.h"
#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::parts::hbm {
namespace {

/// The oldest first, also where it has to wait and another one could go.
class OldestFirst : public CustomScheduler {
 public:
  std::string_view name() const override { return "oldest_first"; }
  bool before(const WaitingCommand& a, const WaitingCommand& b) const override { return a.sequence < b.sequence; }
};

/// Every test runs in a process of its own.
base::Config machine_with_oldest_first() {
  register_scheduler(std::make_shared<OldestFirst>());
  base::Config config = machine_file("tpu-v3");
  config.add_builtin("schedulers", custom_scheduler_key());
  return config;
}

/// The activates and precharges, with their banks.
class RowCommands : public memory::dram::CommandObserver {
 public:
  void issued(memory::dram::DramCommand command, const memory::dram::DramTarget& target, std::int64_t,
              base::Cycles) override {
    using enum memory::dram::DramCommand;
    if (command == activate) commands.push_back("activate " + std::to_string(target.bank));
    if (command == precharge) commands.push_back("precharge " + std::to_string(target.bank));
  }
  std::vector<std::string> commands;
};

/// A row of bank 0 is open, and 20 clocks old, when a burst of another row of it arrives, and then one of bank 1.
std::vector<std::string> commands_of(base::Config config, const std::string& scheduler) {
  for (const char* setting : {"hbm.channels=1", "hbm.bank_hash=false", "hbm.channel_hash=false", "hbm.refresh=none",
                              "hbm.interleave=32 B", "hbm.address_order=row bank_group pseudo_channel bank column"}) {
    config.set(setting);
  }
  config.set("hbm.scheduler=" + scheduler);
  memory::dram::ChannelController channel(read_dram_parameters(config));
  RowCommands rows;
  channel.observe(&rows);
  std::vector<memory::dram::MemoryCompletion> completed;
  const auto read = [&](std::uint64_t address) { channel.submit({Direction::read, address, base::Bytes(32), 0}); };
  read(0);
  channel.advance(base::Cycles(20), completed);
  // Rows have 32 bursts of 32 B; 4 banks of a group, 2 pseudo-channels and 4 groups come before the next row.
  read(32 * 32 * 32);
  read(32 * 32);
  while (const auto next = channel.next_completion()) channel.advance(*next, completed);
  EXPECT_EQ(completed.size(), 3u);
  return rows.commands;
}

// Bank 0 has to stay open for the rest of tRAS, of 31 clocks; meanwhile bank 1 could open.
TEST(CustomScheduler, DecidesWhichCommandGoesFirst) {
  const base::Config config = machine_with_oldest_first();
  EXPECT_EQ(read_dram_parameters(config).timing.ras, base::Cycles(31));
  EXPECT_EQ(commands_of(config, "fr_fcfs"),
            (std::vector<std::string>{"activate 0", "activate 1", "precharge 0", "activate 0"}));
  EXPECT_EQ(commands_of(config, "oldest_first"),
            (std::vector<std::string>{"activate 0", "precharge 0", "activate 0", "activate 1"}));
}

TEST(CustomScheduler, IsAKeyOfProgramsThatHaveOne) {
  EXPECT_EQ(custom_scheduler_key(), "");
  EXPECT_FALSE(machine_file("tpu-v3").contains("hbm.scheduler"));
  base::Config config = machine_with_oldest_first();
  // What is measured on the banks holds until another scheduler is set.
  EXPECT_EQ(memory::dram::memory_fingerprint(config), memory::dram::memory_fingerprint(machine_file("tpu-v3")));
  config.set("hbm.scheduler=oldest_first");
  EXPECT_NE(memory::dram::memory_fingerprint(config), memory::dram::memory_fingerprint(machine_file("tpu-v3")));
  config.set("hbm.scheduler=oldest");
  try {
    static_cast<void>(read_dram_parameters(config));
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().front().message, "'hbm.scheduler' must be one of fr_fcfs, oldest_first");
  }
  EXPECT_THROW(register_scheduler(std::make_shared<OldestFirst>()), std::invalid_argument);
}

}  // namespace
}  // namespace podsim::hw::parts::hbm
