// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/implementation.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

/// The sources without a header: programs, and sources that CMake generates.
bool stands_alone(const std::filesystem::path& file) { return file.filename() == "main.cpp"; }

TEST(Implementations, BearTheNameOfTheirHeaderOrSayWhichItIs) {
  const auto files = source_files();
  const std::set<std::filesystem::path> all(files.begin(), files.end());
  for (const auto& file : files) {
    if (file.extension() != ".cpp" || stands_alone(file)) continue;
    const bool paired = all.contains(std::filesystem::path(file).replace_extension(".h"));
    const std::string part = part_of(read_source(file));
    EXPECT_TRUE(paired || all.contains(part)) << file << " has no header of its name, and says \"" << part << "\"";
  }
}

TEST(Implementations, AreThereForEveryHeaderThatNeedsOne) {
  const auto files = source_files();
  std::set<std::string> implemented;
  for (const auto& file : files) {
    if (file.extension() != ".cpp") continue;
    implemented.insert(std::filesystem::path(file).replace_extension(".h").string());
    implemented.insert(part_of(read_source(file)));
  }
  for (const auto& file : files) {
    if (file.extension() != ".h" || implemented.contains(file.string())) continue;
    // CMake makes the lists of files that the program carries.
    if (read_source(file).find("generated at build time") != std::string::npos) continue;
    const std::string function = declared_function(read_source(file));
    EXPECT_EQ(function, "") << file << " declares a function, and no source of its name defines it";
  }
}

TEST(Implementations, TheRuleTellsWhatNeedsASource) {
  EXPECT_EQ(declared_function("namespace a {\nint f(int x);\n}\n"), "f");
  EXPECT_EQ(declared_function("class A : public B {\n public:\n  int g() const;\n};\n"), "g");
  EXPECT_EQ(declared_function("struct A {\n  std::function<int(int)> f;\n  int x = h(2);\n};\n"), "");
  EXPECT_EQ(declared_function("class A {\n  virtual int g() const = 0;\n  A(const A&) = delete;\n};\n"), "");
  EXPECT_EQ(declared_function("class A {\n  int g() const { return f(1); }\n};\ninline int f(int x) { g(x); }\n"), "");
  EXPECT_EQ(part_of("// SPDX-License-Identifier: Apache-2.0\n// Part of hlo/graph.h.\n\nint x;\n"), "hlo/graph.h");
  EXPECT_EQ(part_of("// SPDX-License-Identifier: Apache-2.0\nint x;\n"), "");
}

}  // namespace
}  // namespace podsim::structure
