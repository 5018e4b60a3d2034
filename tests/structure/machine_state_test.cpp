// SPDX-License-Identifier: Apache-2.0
// Hardware belongs to hw and noc: no class of the software has a member, and none of its functions a variable, that
// serves requests in simulated time (HBM, switch, links, units).
#include <gtest/gtest.h>

#include <regex>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

/// The first member or variable that holds the state of a machine's resource; empty if there is none.
std::string machine_state(const std::string& text) {
  static const std::regex member(
      "\\n\\s+(?:std::\\w+<)?[\\w:]*(?:HbmOccupancy|HbmStream|Hbm|SwitchTiming|MessageSwitch|OnChipSwitch|"
      "Vector::Timing|Mxu::Timing|CrossLane::Timing|TimedUnit<\\w+|Links|LinkTiming|MessageFabric|PacketNetwork)>? "
      "\\w+(?:;|\\{|\\()");
  std::smatch found;
  return std::regex_search(text, found, member) ? found.str() : "";
}

TEST(MachineState, IsNoMemberOfSoftware) {
  for (const auto& file : source_files()) {
    const bool software = file.string().starts_with("sw/collectives/") || file.string().starts_with("sw/runtime/");
    if (software) {
      EXPECT_EQ(machine_state(read_source(file)), "") << file;
    }
  }
}

TEST(MachineState, TheRuleFindsMembers) {
  EXPECT_NE(machine_state("class A {\n  hw::timing::HbmOccupancy hbm;\n};\n"), "");
  EXPECT_NE(machine_state("class A {\n  std::vector<noc::chip_switch::SwitchTiming> switches_;\n};\n"), "");
  EXPECT_NE(machine_state("class A {\n  hw::Vector::Timing vector_;\n};\n"), "");
  EXPECT_NE(machine_state("class A {\n  std::vector<noc::ici::LinkTiming> links_;\n};\n"), "");
  EXPECT_NE(machine_state("void f() {\n  noc::ici::Links links(topology, ici);\n}\n"), "");
  EXPECT_EQ(machine_state("class A {\n  noc::ici::Links* links_;\n  Links& links();\n};\n"), "");
  EXPECT_EQ(machine_state("class A {\n  hw::chip::Chip& chip();\n  hw::VectorWork addition() const;\n};\n"), "");
}

}  // namespace
}  // namespace podsim::structure
