// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

TEST(Includes, PointDownward) {
  std::vector<std::filesystem::path> files = source_files();
  ASSERT_GT(files.size(), 20U);
  for (const auto& file : files) {
    for (const Include& include : includes_of(read_source(file))) {
      std::string fault = include_fault(file, include);
      EXPECT_EQ(fault, "") << file.string() << ":" << include.line << " " << fault;
    }
  }
}

TEST(Includes, NameFilesThatExist) {
  for (const auto& file : source_files()) {
    for (const Include& include : includes_of(read_source(file))) {
      if (!include.quoted) continue;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(PODSIM_SOURCE_DIR) / include.path))
          << file.string() << ":" << include.line << " includes " << include.path;
    }
  }
}

TEST(Includes, TheRuleTellsUpFromDown) {
  EXPECT_EQ(include_fault("hw/core/core.h", {1, true, "noc/ici/link_timing.h"}), "");
  EXPECT_EQ(include_fault("hw/core/core.h", {1, true, "hw/core/timed_unit.h"}), "");
  EXPECT_EQ(include_fault("hw/core/core.h", {1, false, "vector"}), "");
  EXPECT_NE(include_fault("hw/core/core.h", {1, true, "sw/runtime/simulation.h"}), "");
  EXPECT_NE(include_fault("hw/core/core.h", {1, true, "mxu.h"}), "");
  EXPECT_NE(include_fault("hw/core/core.h", {1, false, "noc/ici/link_timing.h"}), "");
  // Inside a layer, too.
  EXPECT_EQ(include_fault("hw/chip/chip.h", {1, true, "hw/machine.h"}), "");
  EXPECT_NE(include_fault("hw/machine.h", {1, true, "hw/chip/chip.h"}), "");
  EXPECT_NE(include_fault("hw/new_room/thing.h", {1, false, "vector"}), "");
}

TEST(Includes, AreFoundInSourceText) {
  std::vector<Include> includes = includes_of("#include <vector>\n  # include \"base/units.h\"  // why\nint x;\n");
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].path, "vector");
  EXPECT_EQ(includes[1].path, "base/units.h");
  EXPECT_EQ(includes[1].line, 2);
  EXPECT_TRUE(includes[1].quoted);
}

TEST(Sources, IncludeTheHeaderTheyAreNamedAfterFirst) {
  std::vector<std::filesystem::path> files = source_files();
  for (const auto& file : files) {
    std::filesystem::path header = file;
    header.replace_extension(".h");
    if (file.extension() != ".cpp" || !std::binary_search(files.begin(), files.end(), header)) continue;
    std::vector<Include> includes = includes_of(read_source(file));
    ASSERT_FALSE(includes.empty()) << file;
    EXPECT_EQ(includes[0].path, header.string()) << file << " does not prove that its header stands alone";
  }
}

TEST(Sources, HeadersAreIncludedOnce) {
  for (const auto& file : source_files()) {
    if (file.extension() != ".h") continue;
    EXPECT_NE(read_source(file).find("\n#pragma once\n"), std::string::npos) << file;
  }
}

TEST(Sources, CarryTheirLicence) {
  for (const auto& file : source_files()) {
    EXPECT_TRUE(read_source(file).starts_with("// SPDX-License-Identifier: Apache-2.0\n")) << file;
  }
}

TEST(Sources, LiveInTheNamespaceOfTheirFolder) {
  for (const auto& file : source_files()) EXPECT_EQ(namespace_fault(file, read_source(file)), "") << file;
}

TEST(Sources, TheRuleTellsNamespacesThatAreNotTheFolders) {
  const auto source = [](const std::string& name) {
    return "#pragma once\n\nnamespace " + name + " {\n\nint x;\n\n}  // namespace " + name + "\n";
  };
  EXPECT_EQ(namespace_fault("hw/isa/bundle.h", source("podsim::hw::isa")), "");
  EXPECT_EQ(namespace_fault("hw/isa/bundle.h", source("podsim::hw::isa::detail")), "");
  EXPECT_NE(namespace_fault("hw/isa/bundle.h", source("podsim::hw")), "");
  EXPECT_NE(namespace_fault("hw/isa/bundle.h", source("podsim::hw::isatty")), "");
  EXPECT_EQ(namespace_fault("hw/isa/bundle.h",
                            "\nnamespace podsim::hw::chip {\nclass Chip;\n}\n" + source("podsim::hw::isa")),
            "");
}

TEST(Folders, HaveNoMoreFilesThanOneCanOversee) {
  std::map<std::filesystem::path, std::size_t> count;
  std::vector<std::string> tops = layers();
  tops.insert(tops.end(), {"tests", "bench", "docs"});
  for (const std::string& top : tops) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(PODSIM_SOURCE_DIR) / top)) {
      if (entry.is_regular_file()) ++count[entry.path().parent_path().lexically_relative(PODSIM_SOURCE_DIR)];
    }
  }
  EXPECT_GT(count.size(), 60U);
  for (const auto& [folder, files] : count) EXPECT_EQ(size_fault(folder, files), "");
  EXPECT_EQ(size_fault("hw/isa", 40), "");
  EXPECT_NE(size_fault("hw/isa", 41), "");
}

// Two types of one name are one to the linker: it merges their functions, without an error of the compiler.
TEST(Sources, DefineEveryTypeOnce) {
  std::map<std::string, std::string> place;
  for (const auto& file : source_files()) {
    for (const std::string& type : types_of(read_source(file))) {
      const auto [first, added] = place.emplace(type, file.string());
      EXPECT_TRUE(added) << type << " is defined in " << first->second << " and in " << file.string();
    }
  }
  EXPECT_GT(place.size(), 500U);
}

TEST(Sources, ShowTypesOutsideUnnamedNamespaces) {
  const std::string source =
      "namespace podsim::hw {\nnamespace {\nstruct Own {\n};\n}  // namespace\n"
      "struct Later;\nclass Core : public Unit {\n  struct Inner {\n  };\n};\nenum class Kind { a, b };\n"
      "namespace isa {\nstruct Bundle final {\n};\n}  // namespace isa\n}  // namespace podsim::hw\n";
  const std::vector<std::string> expected{"podsim::hw::Core", "podsim::hw::Kind", "podsim::hw::isa::Bundle"};
  EXPECT_EQ(types_of(source), expected);
}

}  // namespace
}  // namespace podsim::structure
