// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text/utf8.h"

namespace podsim::base {
namespace {

constexpr std::size_t widest_line = 160;  // shown of a source line, since HLO lines run to thousands of characters

/// The part of a source line that is shown and the range of its underline, in characters.
struct Excerpt {
  std::vector<std::string_view> characters;
  std::size_t underline_begin = 0;
  std::size_t underline_length = 1;
  bool cut_left = false, cut_right = false;
};

Excerpt excerpt(const SourceLocation& location) {
  Excerpt result;
  result.characters = text::utf8_characters(location.line_text);
  std::size_t count = result.characters.size();
  std::size_t begin = location.column > 0 ? std::min(std::size_t(location.column - 1), count) : 0;
  result.underline_begin = begin;
  result.underline_length =
      std::clamp<std::size_t>(std::size_t(std::max(location.length, 1)), 1, std::max<std::size_t>(count - begin, 1));
  if (count <= widest_line) return result;
  std::size_t first = begin > widest_line / 2 ? std::min(begin - widest_line / 2, count - widest_line) : 0;
  std::size_t last = first + widest_line;
  result.cut_left = first > 0;
  result.cut_right = last < count;
  result.characters = {result.characters.begin() + std::ptrdiff_t(first),
                       result.characters.begin() + std::ptrdiff_t(last)};
  result.underline_begin -= first;
  result.underline_length = std::min(result.underline_length, std::max<std::size_t>(last - begin, 1));
  return result;
}

std::string paint(std::string_view text, std::string_view escape, bool color) {
  return color ? fmt::format("\033[{}m{}\033[0m", escape, text) : std::string(text);
}

std::string caret_lines(const Diagnostic& diagnostic, bool color) {
  const SourceLocation& location = diagnostic.location;
  Excerpt shown = excerpt(location);
  std::string number = location.line > 0 ? fmt::format("{}", location.line) : "";
  std::string text = fmt::format("  {} | {}", number, shown.cut_left ? "..." : "");
  for (std::string_view character : shown.characters) text += text::printable(character);
  text += shown.cut_right ? "...\n" : "\n";
  text += fmt::format("  {:{}} | {}", "", number.size(), shown.cut_left ? "   " : "");
  for (std::size_t i = 0; i < shown.underline_begin; ++i) text += shown.characters[i] == "\t" ? '\t' : ' ';
  text += paint("^" + std::string(shown.underline_length - 1, '~'), "1;32", color);
  if (!diagnostic.hint.empty()) text += " " + text::printable(diagnostic.hint);
  return text + "\n";
}

std::string location_text(const SourceLocation& location) {
  if (location.file.empty()) return "";
  if (location.line == 0) return location.file + ": ";
  if (location.column == 0) return fmt::format("{}:{}: ", location.file, location.line);
  return fmt::format("{}:{}:{}: ", location.file, location.line, location.column);
}

std::string summary(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += format(diagnostic);
  if (!text.empty()) text.pop_back();
  return text;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Edit distance: insertions, deletions, substitutions and swaps of neighbours, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string format(const Diagnostic& diagnostic, bool color) {
  std::string severity;
  switch (diagnostic.severity) {
    case Diagnostic::Severity::error:
      severity = paint("error:", "1;31", color);
      break;
    case Diagnostic::Severity::warning:
      severity = paint("warning:", "1;35", color);
      break;
    case Diagnostic::Severity::note:
      severity = paint("note:", "1;36", color);
      break;
  }
  std::string where = text::printable(location_text(diagnostic.location));
  std::string text = fmt::format("{}{} {}\n", where.empty() ? where : paint(where, "1", color), severity,
                                 text::printable(diagnostic.message));
  if (!diagnostic.location.line_text.empty()) return text + caret_lines(diagnostic, color);
  if (!diagnostic.hint.empty()) text += fmt::format("  {}\n", text::printable(diagnostic.hint));
  return text;
}

SourceLocation locate(std::string file, std::string_view text, std::size_t offset, int length) {
  offset = std::min(offset, text.size());
  std::string_view before = text.substr(0, offset);
  std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  std::size_t end = std::min(text.find('\n', offset), text.size());
  SourceLocation location;
  location.file = std::move(file);
  location.line = int(std::count(before.begin(), before.end(), '\n')) + 1;
  location.column = int(text::utf8_characters(text.substr(begin, offset - begin)).size()) + 1;
  location.length = length;
  location.line_text = text.substr(begin, end - begin);
  if (location.line_text.ends_with('\r')) location.line_text.pop_back();
  return location;
}

InputError::InputError(Diagnostic diagnostic) : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}
InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(summary(diagnostics)), diagnostics_(std::move(diagnostics)) {}
InputError::InputError(std::string message, std::string hint)
    : InputError(Diagnostic{Diagnostic::Severity::error, std::move(message), {}, std::move(hint)}) {}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < word.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  std::string candidate = closest(word, candidates);
  return candidate.empty() ? "" : fmt::format("did you mean '{}'?", candidate);
}

}  // namespace podsim::base
