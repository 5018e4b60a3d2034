// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "hw/isa/latency.h"
#include "hw/isa/pasm/assembler.h"
#include "hw/isa/pasm/names.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::isa::pasm {
namespace {

std::string reference() {
  std::ifstream in(std::string(PODSIM_SOURCE_DIR) + "/docs/isa.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The test compares the rows of the reference's tables of operations with the opcode table.
TEST(Reference, HasARowWithFormAndLatencyOfEveryOperation) {
  const std::string text = reference();
  const Machine machine = tpu_v3();
  for (const OpcodeInfo& row : opcode_table()) {
    std::int64_t cycles = result_latency(machine, row.opcode).value();
    std::string begin = fmt::format("| `{}` | {} | ", form(row.opcode), cycles == 0 ? "" : std::to_string(cycles));
    EXPECT_NE(text.find(begin), std::string::npos) << begin;
  }
}

TEST(Reference, HasTheOperationsOfASlotInTheOrderOfTheirEncoding) {
  const std::string text = reference();
  std::size_t at = 0;
  for (const OpcodeInfo& row : opcode_table()) {
    std::size_t found = text.find(fmt::format("| `{}`", form(row.opcode)));
    EXPECT_GT(found, at) << row.mnemonic;
    at = found;
  }
}

/// Returns true if the assembler accepts a word as a directive, even if it has errors about the rest.
bool is_directive(const std::string& word) {
  try {
    assemble("directive.pasm", word + "\nnop\n");
  } catch (const base::InputError& error) {
    return std::string(error.what()).find("there is no directive") == std::string::npos;
  }
  return true;
}

TEST(Reference, NamesTheDirectivesThatThereAre) {
  const std::string text = reference();
  std::set<std::string> named;
  for (std::size_t at = text.find("`."); at != std::string::npos; at = text.find("`.", at + 1)) {
    std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", at + 2);
    if (end > at + 2) named.insert(text.substr(at + 1, end - at - 1));
  }
  named.erase(".pasm");
  for (const std::string& word : named) EXPECT_TRUE(is_directive(word)) << word;
  EXPECT_EQ(named, (std::set<std::string>{".bf16", ".code", ".const", ".dma", ".end", ".expect", ".f32", ".fill",
                                          ".hbm", ".iota", ".label", ".overlay", ".random", ".repeat", ".smem",
                                          ".string", ".vmem", ".word", ".zeros"}));
}

}  // namespace
}  // namespace podsim::hw::isa::pasm
