// SPDX-License-Identifier: Apache-2.0
// Folders of runs and studies whose files are truncated, emptied, or have values of other types. Commands that read
// them end with code 0 or 2, and their messages are the program's own text with the name of the file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::files {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// Texts of the libraries that read JSON, protobufs and TOML, and of the C++ library.
const std::vector<std::string> foreign{
    "json.exception", "pbf", "exception", "terminate", "std::", "internal error", "basic_string", "nan %"};

void expect_own_words(const test::Outcome& outcome, const std::string& what) {
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << what << ": " << outcome.code << " " << outcome.err;
  for (const std::string& text : foreign) {
    EXPECT_EQ(outcome.err.find(text), std::string::npos) << what << ": " << outcome.err;
    EXPECT_EQ(outcome.out.find(text), std::string::npos) << what << ": " << outcome.out;
  }
}

class DamagedFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"run", "other"}) {
      ASSERT_EQ(folder.run({"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "-o", name}).code, 0);
    }
  }

  /// Runs every command that reads the folder, with `text` as the content of the run's file.
  std::vector<test::Outcome> read_with(const std::string& file, const std::string& text) const {
    const std::string before = folder.read("run/" + file);
    folder.write("run/" + file, text);
    std::vector<test::Outcome> outcomes{folder.run({"report", "run", "-o", "page.html"}),
                                        folder.run({"compare", "run", "other"}),
                                        folder.run({"compare", "other", "run", "--json"})};
    for (const test::Outcome& outcome : outcomes) expect_own_words(outcome, file + ": " + text.substr(0, 300));
    folder.write("run/" + file, before);
    return outcomes;
  }

  test::Folder folder;
};

TEST_F(DamagedFolder, WithFilesCutOffOrEmptyIsRefusedInOwnWords) {
  for (const std::string& file : folder.names("run")) {
    if (file.ends_with(".html")) continue;
    const std::string whole = folder.read("run/" + file);
    for (const std::size_t part : {std::size_t(0), whole.size() / 3, whole.size() - 2}) {
      read_with(file, whole.substr(0, part));
    }
    read_with(file, "null");
    read_with(file, "[]");
    read_with(file, "{}");
    read_with(file, "\xff\xfe\n\x1b[31m");
  }
}

/// Every key of the JSON files with a value of another type, down to the second level.
TEST_F(DamagedFolder, WithValuesOfOtherTypesIsRefusedInOwnWords) {
  for (const std::string file : {"stats.json", "manifest.json"}) {
    const Json whole = Json::parse(folder.read("run/" + file));
    for (const auto& [key, value] : whole.items()) {
      for (const Json& other : {Json(), Json("x"), Json::array({nullptr})}) {
        if (other.type() == value.type()) continue;
        Json damaged = whole;
        damaged[key] = other;
        read_with(file, damaged.dump());
      }
      if (!value.is_object()) continue;
      for (const auto& [inner, old] : value.items()) {
        Json damaged = whole;
        damaged[key][inner] = old.is_number() ? Json("x") : Json(7);
        read_with(file, damaged.dump());
      }
    }
  }
}

/// The files of a run have no fault, so that an error about one file is not due to another.
TEST_F(DamagedFolder, OfASoundRunHasNoFaultThatIsNamed) {
  for (const char* damaged : {"stats.json", "manifest.json", "timeline.json"}) {
    for (const test::Outcome& outcome :
         read_with(damaged, "{\"schema_version\": 1, \"steps\": 1, \"step_time_ps\": 1}")) {
      for (const char* sound : {"other/stats.json", "other/manifest.json"}) {
        EXPECT_EQ(outcome.err.find(std::string(sound) + ":"), std::string::npos) << outcome.err;
      }
    }
  }
}

/// The line of a value of another type: json.dump(2) has each value of an object on a line of its own.
TEST_F(DamagedFolder, IsRefusedWithTheLineOfTheValue) {
  Json stats = Json::parse(folder.read("run/stats.json"));
  stats["memory"] = 3;
  const std::string damaged = stats.dump(2);
  const auto line =
      1 + std::count(damaged.begin(), damaged.begin() + std::ptrdiff_t(damaged.find("\"memory\": 3")), '\n');
  const test::Outcome outcome = read_with("stats.json", damaged)[0];
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("run/stats.json:" + std::to_string(line) + ":"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim::files
