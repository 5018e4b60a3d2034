// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"

/// Command lines that several tests run, and their output.
namespace podsim::test {

/// ResNet-50 on four chips, two images a core.
inline std::vector<std::string> small_run(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The object that a command prints; it must succeed and write nothing else.
inline nlohmann::json json_of(const Folder& folder, const std::vector<std::string>& arguments) {
  const Outcome outcome = folder.run(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return nlohmann::json::parse(outcome.out);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace podsim::test
