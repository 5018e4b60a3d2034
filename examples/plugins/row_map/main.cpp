// SPDX-License-Identifier: Apache-2.0
// The program podsim with one more map of DRAM addresses, in which a kibibyte lies in one row of one bank, and one more
// scheduler, which keeps the order of arrival.
#include <memory>

#include "app/program.h"
#include "hw/parts/hbm/custom_address_map.h"
#include "hw/parts/hbm/custom_scheduler.h"

namespace {

namespace hbm = podsim::hw::parts::hbm;

/// Consecutive bursts fill a row. The next row is in the next channel, then in the next pseudo-channel and bank group,
/// then in the next bank; from row to row the banks are rotated by one, so that rows at a pitch find different banks.
class RowMap final : public hbm::CustomAddressMap {
 public:
  std::string_view name() const override { return "row_map"; }
  hbm::DramAddress locate(std::uint64_t burst, const hbm::DramParameters& memory) const override {
    const hbm::DramOrganization& parts = memory.organization;
    std::int64_t rest = std::int64_t(burst);
    const auto take = [&rest](std::int64_t count) {
      const std::int64_t index = rest % count;
      rest /= count;
      return index;
    };
    hbm::DramAddress at;
    at.column = take(parts.bursts_per_row());
    at.channel = int(take(parts.channels));
    at.pseudo_channel = int(take(parts.pseudo_channels));
    at.bank_group = int(take(parts.bank_groups));
    const std::int64_t bank = take(parts.banks_per_group);
    at.row = rest;
    at.bank = int((bank + at.row) % parts.banks_per_group);
    return at;
  }
};

/// The oldest burst first, also where its bank is not ready and that of a younger one is.
class OldestFirst final : public hbm::CustomScheduler {
 public:
  std::string_view name() const override { return "oldest_first"; }
  bool before(const hbm::WaitingCommand& a, const hbm::WaitingCommand& b) const override {
    return a.sequence < b.sequence;
  }
};

}  // namespace

int main(int argc, char** argv) {
  hbm::register_address_map(std::make_shared<RowMap>());
  hbm::register_scheduler(std::make_shared<OldestFirst>());
  return podsim::app::run_program(argc, argv);
}
