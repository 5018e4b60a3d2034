// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::hw::parts::hbm {

/// A command that a pseudo-channel may issue for a waiting burst.
struct WaitingCommand {
  std::int64_t clock = 0;      ///< of the memory: the earliest that the timing rules allow, from now on
  std::uint64_t sequence = 0;  ///< of the burst's request; a smaller one is older
  int bank = 0;                ///< in its pseudo-channel: bank_group * banks_per_group + bank
};

/// An order of commands that a program adds, chosen by its name as `hbm.scheduler`. It decides which column command
/// goes first, and which activate or precharge. Legality, refreshes, batches of reads and writes, and that the bursts
/// of a bank hit its open row before the row is closed, are podsim's.
class CustomScheduler {
 public:
  virtual ~CustomScheduler();

  virtual std::string_view name() const = 0;
  /// Whether a command goes before another one for the same bus: a strict weak order that depends on its arguments
  /// alone. Without a registered one, the command that is possible first, the older of two.
  virtual bool before(const WaitingCommand& a, const WaitingCommand& b) const = 0;
};

/// Makes a scheduler known to `hbm.scheduler`, a key that machines have in programs with a registered scheduler; its
/// value is "fr_fcfs", podsim's own, unless one is set. To be called before the program runs. Throws
/// std::invalid_argument for a name that is taken or is not a word (base/registry.h).
void register_scheduler(std::shared_ptr<const CustomScheduler> scheduler);

/// "fr_fcfs" and the names of the registered ones.
std::vector<std::string> scheduler_names();
/// The scheduler with an index in scheduler_names(); nullptr for podsim's.
std::shared_ptr<const CustomScheduler> custom_scheduler(std::int64_t index);

/// The key as a machine file has it, with evidence; empty if no scheduler is registered.
std::string custom_scheduler_key();

}  // namespace podsim::hw::parts::hbm
