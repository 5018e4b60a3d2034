// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/opcode.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "hw/isa/bundle.h"

namespace podsim::hw::isa {
namespace {

TEST(Opcodes, HaveOneMnemonicEach) {
  std::set<std::string_view> mnemonics;
  for (const OpcodeInfo& row : opcode_table()) {
    EXPECT_TRUE(mnemonics.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_EQ(&info(row.opcode), &row) << row.mnemonic;
  }
  EXPECT_EQ(mnemonics.size(), std::size_t(opcodes));
}

TEST(Opcodes, ShowTheirSlotByTheirMnemonic) {
  const std::map<std::string, SlotKind> first_parts = {
      {"s", SlotKind::scalar},  {"p", SlotKind::scalar},   {"v", SlotKind::vector},  {"m", SlotKind::vector},
      {"e", SlotKind::vector},  {"vld", SlotKind::load},   {"vst", SlotKind::store}, {"mxu", SlotKind::push},
      {"x", SlotKind::push},    {"push", SlotKind::push},  {"pop", SlotKind::pop},   {"dma", SlotKind::misc},
      {"sync", SlotKind::misc}, {"fence", SlotKind::misc}, {"mark", SlotKind::misc}, {"halt", SlotKind::misc}};
  for (const OpcodeInfo& row : opcode_table()) {
    std::string part(row.mnemonic.substr(0, row.mnemonic.find('.')));
    EXPECT_EQ(first_parts.at(part), row.slot) << row.mnemonic;
  }
}

TEST(Opcodes, OnlyStoresReadTheirDestination) {
  std::set<std::string_view> stores;
  for (const OpcodeInfo& row : opcode_table()) {
    if (row.reads_destination) stores.insert(row.mnemonic);
  }
  EXPECT_EQ(stores, (std::set<std::string_view>{"s.store", "vst", "vst.shuffle"}));
}

TEST(Opcodes, OfMatrixUnitsAndPopsNameAUnit) {
  for (const OpcodeInfo& row : opcode_table()) {
    EXPECT_EQ(row.takes_unit, row.mnemonic.starts_with("mxu.") || row.mnemonic == "pop") << row.mnemonic;
  }
}

TEST(Opcodes, TakeAMaskWhereLanesAreWrittenOrCompared) {
  for (const OpcodeInfo& row : opcode_table()) {
    bool lanes = row.slot == SlotKind::load || row.slot == SlotKind::store || row.mnemonic.starts_with("v.");
    EXPECT_EQ(row.masked, lanes) << row.mnemonic;
  }
}

}  // namespace
}  // namespace podsim::hw::isa
