// SPDX-License-Identifier: Apache-2.0
#include "base/host/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/text/shell_word.h"
#include "base/text/utf8.h"

namespace podsim::base::host {
namespace {

[[noreturn]] void reject(std::string_view flag, const std::string& text, std::string message, std::string hint) {
  throw InputError(
      Diagnostic{Diagnostic::Severity::error, std::move(message), argument_location(flag, text), std::move(hint)});
}

}  // namespace

SourceLocation argument_location(std::string_view flag, std::string_view text, std::size_t offset, std::size_t length) {
  std::size_t characters = text::utf8_characters(text.substr(std::min(offset, text.size()), length)).size();
  SourceLocation where = locate(std::string(flag), text, offset, std::max(int(characters), 1));
  where.line = 0;
  if (where.line_text.empty()) where.line_text = " ";  // the caret needs a line above it
  return where;
}

void locate_errors(std::string_view flag, std::string_view text, const std::function<void()>& body) {
  try {
    body();
  } catch (const InputError& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.location.file.empty()) diagnostic.location = argument_location(flag, text);
    }
    throw InputError(std::move(diagnostics));
  }
}

std::int64_t parse_whole_number(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most) {
  std::string range = fmt::format("between {} and {}", least, most);
  std::int64_t number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = rest == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!whole) reject(flag, text, fmt::format("'{}' is not a whole number", text), range);
  if (error == std::errc::result_out_of_range || number < least || number > most) {
    reject(flag, text, fmt::format("{} is out of range", text), range);
  }
  return number;
}

std::size_t parse_choice(std::string_view flag, const std::string& text, std::string_view what,
                         const std::vector<std::string>& choices) {
  auto found = std::ranges::find(choices, text);
  if (found != choices.end()) return std::size_t(found - choices.begin());
  std::string hint = did_you_mean(text, choices);
  reject(flag, text, fmt::format("'{}' is not {}", text, what),
         hint.empty() ? fmt::format("one of: {}", fmt::join(choices, ", ")) : hint);
}

std::string parse_path(std::string_view flag, const std::string& text) {
  if (text.empty()) reject(flag, text, "the path is empty", "");
  return text;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + text::shell_word(word);
  return line;
}

SourceLocation word_location(const std::vector<std::string>& words, std::size_t index) {
  std::vector<std::string> before(words.begin(), words.begin() + std::ptrdiff_t(index));
  std::size_t offset = before.empty() ? 0 : shell_line(before).size() + 1;
  return argument_location("command line", shell_line(words), offset, text::shell_word(words[index]).size());
}

}  // namespace podsim::base::host
