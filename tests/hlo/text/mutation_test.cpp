// SPDX-License-Identifier: Apache-2.0
// Texts that are almost HLO: reading any mutation of a module ends, with errors or with modules that print.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hlo/text/graph/statistics.h"
#include "hlo/text/printer.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::text {
namespace {

std::string seed(const std::string& name) {
  std::ifstream in(PODSIM_SOURCE_DIR "/tests/fuzz/seeds/hlo/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// Splits the text into words and single characters.
std::vector<std::string> tokens(const std::string& text) {
  std::vector<std::string> result;
  for (const char c : text) {
    const bool joins = !result.empty() && is_name_character(c) && is_name_character(result.back().back());
    if (joins) {
      result.back() += c;
    } else {
      result.emplace_back(1, c);
    }
  }
  return result;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

std::vector<std::string> mutated_tokens(std::vector<std::string> pieces) {
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes && !pieces.empty(); ++i) {
    const auto at = pieces.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ptrdiff_t(pieces.size()));
    const std::string other = pieces[*rc::gen::inRange<std::size_t>(0, pieces.size())];
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        pieces.erase(at);
        break;
      case 1:
        *at = other;
        break;
      case 2:
        pieces.insert(at, other);
        break;
      default:
        (*at)[*rc::gen::inRange<std::size_t>(0, at->size())] = char(*rc::gen::inRange(0, 256));
        break;
    }
  }
  return pieces;
}

void read_and_print(const std::string& text) {
  const ReadResult result = read("mutated", text);
  for (const base::Diagnostic& diagnostic : result.diagnostics) RC_ASSERT(!base::format(diagnostic).empty());
  if (!result.ok()) return;
  for (const Module& module : result.modules) {
    RC_ASSERT(graph::statistics(module).instructions == std::int64_t(module.instructions.size()));
  }
  const std::string printed = print(result.modules);
  const ReadResult again = read("printed", printed);
  RC_ASSERT(again.ok());
  RC_ASSERT(print(again.modules) == printed);
}

RC_GTEST_PROP(HloMutation, OfTokensEndsInErrorsOrInTextThatIsAFixedPoint, ()) {
  const std::string name = *rc::gen::element<std::string>("step.hlo", "old.hlo");
  read_and_print(joined(mutated_tokens(tokens(seed(name)))));
}

RC_GTEST_PROP(HloMutation, OfLinesEndsInErrorsOrInTextThatIsAFixedPoint, ()) {
  std::istringstream in(seed(*rc::gen::element<std::string>("step.hlo", "old.hlo")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  read_and_print(joined(mutated_tokens(lines)));
}

TEST(HloMutation, StartsFromTextsThatAreSound) {
  for (const char* name : {"step.hlo", "old.hlo"}) {
    const ReadResult result = read(name, seed(name));
    EXPECT_TRUE(result.ok()) << base::format(result.diagnostics.front());
  }
}

}  // namespace
}  // namespace podsim::hlo::text
