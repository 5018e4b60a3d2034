// SPDX-License-Identifier: Apache-2.0
// Part of hlo/text/text_reader.h.
#include <fmt/format.h>

#include <algorithm>

#include "hlo/text/text_reader.h"

namespace podsim::hlo::text {
namespace {

constexpr int deepest_body = 16;  // nesting of computations written inside their calls

/// Kind of a line, for resuming after text that could not be read.
enum class LineStart { other, instruction, closing_brace, computation };

LineStart line_start(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const bool indented = indent > 0;
  line.remove_prefix(indent);
  if (line.starts_with('}')) {
    line.remove_prefix(1);
    const std::size_t next = line.find_first_not_of(" \t\r");
    return next == std::string_view::npos || line[next] == '/' || line.substr(next).starts_with(", execution_thread")
               ? LineStart::closing_brace
               : LineStart::other;
  }
  if (line.starts_with("HloModule ") || line.starts_with("ENTRY ")) return LineStart::computation;
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  if (line.starts_with('%')) line.remove_prefix(1);
  std::size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  if (end == 0) return LineStart::other;
  if (line.substr(end).starts_with(" = ")) return LineStart::instruction;
  const bool opens = last != std::string_view::npos && line.ends_with('{');
  return !indented && opens ? LineStart::computation : LineStart::other;
}

}  // namespace

void Reader::read_computation() {
  Computation computation;
  std::optional<Signature> signature;
  const std::size_t begin = scanner_.offset();
  computation_begin_ = begin;
  root_ = -1;
  bool sound = true;
  try {
    const std::size_t mark = scanner_.offset();
    if (scanner_.accept("ENTRY")) {
      if (module_.entry >= 0) scanner_.fail_at(scanner_.text().substr(mark, 5), "a second ENTRY computation");
      module_.entry = ComputationIndex(module_.computations.size());
    }
    computation.name = scanner_.name("a computation");
    if (scanner_.peek() == '(') signature = read_signature();
    signatures_ = signature.has_value();
    scanner_.expect('{', "before the instructions of a computation");
  } catch (const SyntaxError& error) {
    if (truncated(error)) throw;
    diagnostics_.error(error);
    sound = complete_ = false;
    if (!recover(begin)) return;
  }
  const ComputationIndex index = ComputationIndex(module_.computations.size());
  if (sound) {
    const auto [known, is_new] = computations_.emplace(computation.name, index);
    if (!is_new) {
      diagnostics_.error(computation.name, fmt::format("a second computation '{}'", computation.name),
                         fmt::format("the first is in line {}",
                                     diagnostics_.line_of(module_.computations[std::size_t(known->second)].name)));
    }
  }
  computation.instructions.first = std::uint32_t(module_.instructions.size());
  module_.computations.push_back(computation);
  const int errors = diagnostics_.errors();
  bodies_.clear();
  read_instructions(computation);
  std::size_t end = scanner_.offset();
  for (; scanner_.accept(','); end = scanner_.offset()) computation.attributes.push_back(read_attribute(scanner_));
  scanner_.move_to(end);
  sound = sound && diagnostics_.errors() == errors;
  if (!sound) signature.reset();
  finish_computation(computation, signature);
  module_.computations[std::size_t(index)] = std::move(computation);
  read_bodies(0, 1);
}

/// Reads the computations that are written inside their calls, starting at bodies_[first], and those nested in them.
void Reader::read_bodies(std::size_t first, int depth) {
  const std::size_t after = scanner_.offset();
  const std::size_t last = bodies_.size();
  for (std::size_t i = first; i < last && !diagnostics_.full(); ++i) {
    Computation computation;
    computation.name = bodies_[i].name;
    computation.instructions.first = std::uint32_t(module_.instructions.size());
    module_.computations.push_back(computation);
    const std::size_t index = module_.computations.size() - 1;
    scanner_.move_to(bodies_[i].offset);
    computation_begin_ = bodies_[i].offset;
    if (depth > deepest_body)
      scanner_.fail_expected(fmt::format("at most {} computations within one another", deepest_body));
    scanner_.expect('{');
    root_ = -1;
    read_instructions(computation);
    finish_computation(computation, std::nullopt);
    module_.computations[index] = std::move(computation);
  }
  scanner_.move_to(after);
  if (bodies_.size() > last) read_bodies(last, depth + 1);
}

Signature Reader::read_signature() {
  Signature signature;
  scanner_.expect('(');
  if (!scanner_.accept(')')) {
    do {
      Signature::Parameter parameter;
      parameter.name = scanner_.name("a parameter's name");
      scanner_.expect(':', "after a parameter's name");
      parameter.shape = module_.shapes.read(scanner_);
      signature.parameters.push_back(parameter);
    } while (scanner_.accept(','));
    scanner_.expect(')', "after the parameters");
  }
  scanner_.expect("->", "before the result's shape");
  scanner_.skip_space();
  const std::size_t begin = scanner_.offset();
  signature.result = module_.shapes.read(scanner_);
  signature.result_text = scanner_.text().substr(begin, scanner_.offset() - begin);
  return signature;
}

void Reader::read_instructions(const Computation& computation) {
  if (definitions_.bucket_count() > 4096) definitions_ = {};  // clearing many buckets takes longer than making new ones
  definitions_.clear();
  while (true) {
    if (!scanner_.skip_space()) {
      scanner_.fail_at_end(fmt::format("the text ends inside computation '{}', which begins in line {}",
                                       computation.name, scanner_.line_of(computation_begin_)));
    }
    if (scanner_.accept('}')) return;
    if (diagnostics_.full()) {
      complete_ = false;
      return;
    }
    const std::size_t begin = scanner_.offset();
    try {
      read_instruction(computation);
    } catch (const SyntaxError& error) {
      if (truncated(error)) throw;
      complete_ = false;
      if (begins_computation(begin)) return report_missing_brace(computation, begin);
      diagnostics_.error(error);
      if (diagnostics_.full() || !recover(begin)) return;
      define_defective(begin);
    }
  }
}

bool Reader::begins_computation(std::size_t begin) const {
  if (begin > 0 && (*text_)[begin - 1] != '\n') return false;
  const std::size_t end = std::min(text_->find('\n', begin), text_->size());
  return line_start(std::string_view(*text_).substr(begin, end - begin)) == LineStart::computation;
}

void Reader::report_missing_brace(const Computation& computation, std::size_t begin) {
  scanner_.move_to(begin);
  diagnostics_.error(SyntaxError(begin, 1,
                                 fmt::format("expected '}}' at the end of computation '{}', which begins in line {}",
                                             computation.name, scanner_.line_of(computation_begin_))));
}

/// Skips text after an error in the item that begins at `begin`. Returns true at the next instruction or '}', and false
/// at the next computation or the end of the text.
bool Reader::recover(std::size_t begin) {
  std::size_t line = text_->rfind('\n', begin) + 1;  // npos + 1 is 0
  bool own = true;
  while (line < text_->size()) {
    const std::size_t end = std::min(text_->find('\n', line), text_->size());
    const LineStart start = line_start(scanner_.text().substr(line, end - line));
    if (!own && start == LineStart::computation) {
      scanner_.move_to(line);
      return false;
    }
    if (!own && start != LineStart::other) {
      scanner_.move_to(line);
      return true;
    }
    own = false;
    line = end + 1;
  }
  scanner_.move_to(text_->size());
  return false;
}

/// Records the name at `begin`, whose instruction could not be read, so that its uses are not reported as undefined.
void Reader::define_defective(std::size_t begin) {
  Scanner scanner(scanner_.text(), begin);
  scanner.accept("ROOT");
  const char next = scanner.peek();
  if (next != '%' && !is_name_character(next)) return;
  const std::size_t name_begin = scanner.offset() + (next == '%' ? 1 : 0);
  if (name_begin >= text_->size() || !is_name_character((*text_)[name_begin])) return;
  const std::string_view name = scanner.name("a name");
  definitions_[name] = {defective, name};
}

void Reader::mark_root(std::string_view place, const Computation& computation) {
  if (root_ >= 0) {
    diagnostics_.error(place, fmt::format("a second ROOT in computation '{}'", computation.name),
                       fmt::format("the first is '{}'", module_.instructions[std::size_t(root_)].name));
  }
  root_ = InstructionIndex(module_.instructions.size());
}

void Reader::finish_computation(Computation& computation, const std::optional<Signature>& signature) {
  computation.instructions.count = std::uint32_t(module_.instructions.size()) - computation.instructions.first;
  if (computation.instructions.count == 0) {
    if (complete_) {
      diagnostics_.error(computation.name, fmt::format("computation '{}' has no instruction", computation.name));
    }
    return;
  }
  computation.root = root_ >= 0 ? root_ : InstructionIndex(module_.instructions.size()) - 1;
  if (!complete_) return;
  const int errors = diagnostics_.errors();
  number_parameters(module_, computation, diagnostics_);
  if (signature && diagnostics_.errors() == errors) check_signature(module_, computation, *signature, diagnostics_);
}

}  // namespace podsim::hlo::text
