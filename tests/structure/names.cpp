// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/names.h"

#include <regex>

namespace podsim::structure {
namespace {

bool is_camel_case(const std::string& name) {
  static const std::regex form("[A-Z][A-Za-z0-9]*");
  return std::regex_match(name, form);
}

}  // namespace

std::vector<std::string> misnamed_tests(std::string_view text) {
  static const std::regex form(R"((?:^|\n)(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+))");
  std::vector<std::string> result;
  for (std::cregex_iterator found(text.begin(), text.end(), form), end; found != end; ++found) {
    const std::string suite = (*found)[1], name = (*found)[2];
    if (!is_camel_case(suite) || !is_camel_case(name)) result.push_back(suite + "." + name);
  }
  return result;
}

std::vector<std::string> misnamed_constants(std::string_view text) {
  static const std::regex form(R"(\bconst(?:expr)?\b[^;={("]*?\b(k[A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*[={])");
  std::vector<std::string> result;
  for (std::cregex_iterator found(text.begin(), text.end(), form), end; found != end; ++found) {
    result.push_back((*found)[1]);
  }
  return result;
}

}  // namespace podsim::structure
