// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/custom_address_map.h"

#include <gtest/gtest.h>

#include "hw/machine.h"
#include "hw/memory/dram/address_map.h"
#include "hw/memory/dram/memory_pattern.h"
#include "hw/memory/dram/memory_traffic.h"
#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::parts::hbm {
namespace {

/// Bursts fill a row of a bank, then the same row of the next bank, of the next channel, and then the next row.
class RowAfterRow : public CustomAddressMap {
 public:
  std::string_view name() const override { return "row_after_row"; }
  DramAddress locate(std::uint64_t burst, const DramParameters& memory) const override {
    const DramOrganization& parts = memory.organization;
    auto left = std::int64_t(burst);
    const auto take = [&left](std::int64_t count) {
      const std::int64_t index = left % count;
      left /= count;
      return index;
    };
    DramAddress at;
    at.column = take(parts.bursts_per_row());
    at.bank = int(take(parts.banks_per_group));
    at.bank_group = int(take(parts.bank_groups));
    at.pseudo_channel = int(take(parts.pseudo_channels));
    at.channel = int(take(parts.channels));
    at.row = left + (fault == 1 ? 1 : 0);
    if (fault == 2) at.column &= ~std::int64_t(1);
    if (fault == 3) std::swap(at.channel, at.bank);
    return at;
  }
  int fault = 0;
};

struct RegisteredMap {
  RegisteredMap() { register_address_map(map); }
  std::shared_ptr<RowAfterRow> map = std::make_shared<RowAfterRow>();
};

TEST(CustomAddressMap, IsChosenByItsNameAsAnAddressOrder) {
  const RegisteredMap registered;
  const DramParameters memory = memory::dram_with({"hbm.address_order=row_after_row"});
  EXPECT_EQ(custom_map(memory.address.fields), registered.map);
  EXPECT_EQ(custom_map(memory::dram_with({}).address.fields), nullptr);
  // 32 bursts of 32 B a row, 4 banks, 4 groups, 2 pseudo-channels, 16 channels: 3, 2, 1, 1, 5, row 7.
  const std::uint64_t burst = 3 + 32 * (2 + 4 * (1 + 4 * (1 + 2 * (5 + 16 * std::uint64_t(7)))));
  const memory::dram::AddressMap map(memory);
  EXPECT_EQ(map.decode(burst * 32 + 5), (DramAddress{5, 1, 1, 2, 7, 3}));
  EXPECT_EQ(map.channel_of(burst * 32), 5);
  std::vector<memory::dram::DramPart> parts;
  map.split(burst / 32 * 1024, base::Bytes(1024), parts);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].bursts, 32);
  EXPECT_EQ(parts[0].bank, 6);
}

// A mebibyte has 1024 rows of a kibibyte, each opened once, and 32 bursts of each.
TEST(CustomAddressMap, DecidesHowManyRowsAreOpened) {
  const RegisteredMap registered;
  base::Config config = machine_file("tpu-v3");
  config.set("hbm.refresh=none");
  config.set("hbm.address_order=row_after_row");
  const Machine machine = read_machine(config);
  memory::dram::MemoryPattern pattern;
  pattern.kind = memory::dram::MemoryPattern::Kind::sequential;
  pattern.bytes = base::Bytes(1 << 20);
  const auto result = memory::dram::run_memory_traffic(
      machine.dram, memory::dram::streams_of(pattern, machine.hbm.capacity_per_core), machine.dma.granules);
  EXPECT_EQ(result.bursts, 32768);
  EXPECT_EQ(result.activates, 1024);
}

TEST(CustomAddressMap, ThatIsNoneIsAnErrorOfTheKey) {
  const RegisteredMap registered;
  const auto message = [&](const char* name) -> std::string {
    try {
      memory::dram_with({std::string("hbm.address_order=") + name});
    } catch (const base::InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_EQ(message("row_after_row"), "");
  EXPECT_NE(message("row_after_rows").find("or a registered map: row_after_row"), std::string::npos);
  registered.map->fault = 1;
  EXPECT_NE(message("row_after_row").find("lies outside the memory"), std::string::npos);
  registered.map->fault = 2;
  EXPECT_EQ(message("row_after_row"), "the map 'row_after_row': bursts 0 and 1 have one location");
  registered.map->fault = 3;
  EXPECT_NE(message("row_after_row").find("outside the memory"), std::string::npos);
  EXPECT_THROW(register_address_map(registered.map), std::invalid_argument);
}

}  // namespace
}  // namespace podsim::hw::parts::hbm
