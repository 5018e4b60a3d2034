// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Errors that end the program with a message: InputError with the diagnostics of bad input, SimulationError with the
/// text of a simulation that cannot proceed. A diagnostic has a location and a suggestion. It is printed as a compiler
/// prints it:
///
///   machine.toml:3:1: error: 'ici.link_rat' is not a key of tpu-v3
///     3 | link_rat = "164 GB/s"
///       | ^~~~~~~~ did you mean 'link_rate'?
namespace podsim::base {

/// A location in a text: a file (or "--set", "command line"), 1-based line and column in characters (not bytes), 0 if
/// unknown, and the whole source line for the caret. In a text of one line without a number, such as an argument, line
/// is 0, but column and line_text are set.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;  ///< characters underlined from column on
  std::string line_text;
};

struct Diagnostic {
  enum class Severity { error, warning, note };
  Severity severity = Severity::error;
  std::string message;
  SourceLocation location;  ///< empty file: no location
  std::string hint;         ///< one line, such as "did you mean 'link_rate'?"; may be empty
};

/// Returns the printed form, ending in a newline. `color` uses ANSI escapes. A source line too long for a terminal is
/// truncated to the surroundings of its caret.
std::string format(const Diagnostic& diagnostic, bool color = false);

/// The location of byte `offset` in `text`, which was read from `file`.
SourceLocation locate(std::string file, std::string_view text, std::size_t offset, int length = 1);

/// Bad input or usage: the program prints the diagnostics and exits with 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic diagnostic);
  explicit InputError(std::vector<Diagnostic> diagnostics);
  /// A message without a location.
  explicit InputError(std::string message, std::string hint = "");
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A simulation that cannot proceed (deadlock, memory exhausted, hazard). The text says where; the program exits with
/// 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the candidate closest to `word` by edit distance (case ignored, a swap of neighbours counts once) if it is
/// close enough to be a typing error, else "".
std::string closest(std::string_view word, std::span<const std::string> candidates);
/// "did you mean 'X'?" for the closest candidate, else "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace podsim::base
