// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <utility>
#include <vector>

#include "tests/structure/source_tree.h"
#include "tests/structure/unnamed_names.h"

namespace podsim::structure {
namespace {

/// Every .cpp of the program and of its tests.
std::vector<std::filesystem::path> compiled_files() {
  std::vector<std::filesystem::path> files = source_files();
  for (const auto& file : test_files()) files.push_back(file);
  std::erase_if(files, [](const std::filesystem::path& file) { return file.extension() != ".cpp"; });
  return files;
}

/// True for a source that is a translation unit of its own in every build (CMakeLists.txt): it has instructions of its
/// own.
bool is_compiled_alone(const std::filesystem::path& file) {
  static const std::regex alone("hw/bundle/(matrix/product_|vector/\\w+_kernels)\\w*\\.cpp");
  return std::regex_match(file.string(), alone);
}

// The release build compiles many sources of a folder in one translation unit.
TEST(UnityBuild, NoTwoSourcesOfAFolderKeepTheSameNameToThemselves) {
  struct Owner {
    std::filesystem::path file;
    std::string meaning;
  };
  std::map<std::pair<std::filesystem::path, std::string>, Owner> owners;
  for (const auto& file : compiled_files()) {
    if (is_compiled_alone(file)) continue;
    for (const auto& [name, meaning] : own_names(read_source(file))) {
      const Owner& owner = owners.try_emplace({file.parent_path(), name}, Owner{file, meaning}).first->second;
      EXPECT_TRUE(owner.file == file || (!meaning.empty() && owner.meaning == meaning))
          << name << " is a name of " << owner.file << " and of " << file;
    }
  }
  EXPECT_GT(owners.size(), 2000U);
}

TEST(UnityBuild, OwnNamesAreFoundInSourceText) {
  const std::string source = R"(
#include <map>
namespace podsim::hw {
using isa::Opcode;
struct Seen {};
namespace {
using Json = nlohmann::json;  // struct Comment {};
constexpr std::int64_t most = 1'000 << 2, least{1};
const char* const text = "int quoted;";
template <class Value, class Other = std::vector<int>>
struct Own final : std::map<int, Value> {
  int member;
};
enum class Kind { a, b };
[[noreturn]] void fail(const std::string& what);
void fail(const std::string& what) { throw what; }
std::map<int, std::string> table[] = {{1, "}"}};
struct flock range_of(int file) { return {}; }
const Topology slice({4, 2}, {true, false});
void Own::method() {}
bool operator==(const Own& a, const Own& b) { return true; }
TEST(Suite, Name) { int inner = 1; }
}  // namespace
int shown() { return 1; }
}  // namespace podsim::hw
)";
  const std::map<std::string, std::string> expected{{"Opcode", "isa::Opcode"},
                                                    {"Json", "nlohmann::json"},
                                                    {"most", ""},
                                                    {"least", ""},
                                                    {"text", ""},
                                                    {"Own", ""},
                                                    {"Kind", ""},
                                                    {"fail", ""},
                                                    {"table", ""},
                                                    {"slice", ""},
                                                    {"range_of", ""}};
  EXPECT_EQ(own_names(source), expected);
}

}  // namespace
}  // namespace podsim::structure
