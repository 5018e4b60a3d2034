// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "hlo/proto/module_text.h"
#include "hlo/stablehlo/hlo_text.h"
#include "hlo/text/attribute_value.h"
#include "hlo/text/text_reader.h"

namespace podsim::hlo::text {
namespace {

constexpr std::array<std::string_view, 4> source_tables{"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

}  // namespace

ReadResult Reader::read() {
  try {
    if (text_->starts_with("\xef\xbb\xbf")) scanner_.move_to(3);
    reject_other_formats();
    do {
      const int errors = diagnostics_.errors();
      read_module();
      if (diagnostics_.errors() == errors) modules_.push_back(std::move(module_));
    } while (!diagnostics_.full() && scanner_.skip_space());
  } catch (const SyntaxError& error) {
    diagnostics_.error(error);
  }
  return {std::move(modules_), diagnostics_.take()};
}

void Reader::reject_other_formats() {
  constexpr std::string_view how =
      "HLO text comes from jax.jit(f).lower(...).compile().as_text() or XLA_FLAGS=--xla_dump_to=DIR";
  if (const std::size_t zero = text_->find('\0'); zero != std::string::npos) {
    throw SyntaxError(zero, 1, "this is not text: it contains a zero byte", std::string(how));
  }
  if (!scanner_.skip_space()) throw SyntaxError(0, 1, "there is no module in this text");
}

void Reader::read_module() {
  module_ = Module();
  module_.text = text_;
  module_.origin = origin_;
  module_.file = file_;
  module_.invented_names = std::make_shared<std::deque<std::string>>();
  computations_.clear();
  called_names_.clear();
  called_locations_.clear();
  invented_ = 0;
  complete_ = true;
  if (scanner_.accept("HloModule")) read_header();
  read_tables();
  while (!diagnostics_.full()) {
    if (!module_.computations.empty() && separator_follows()) break;
    if (!scanner_.skip_space()) break;
    const std::size_t begin = scanner_.offset();
    if (scanner_.accept("HloModule")) {
      scanner_.move_to(begin);
      break;
    }
    read_computation();
  }
  finish_module();
}

/// True if a line "// -----" separates the last computation from the text that follows.
bool Reader::separator_follows() const {
  Scanner ahead = scanner_;
  ahead.skip_space();
  const std::string_view gap = scanner_.text().substr(scanner_.offset(), ahead.offset() - scanner_.offset());
  const std::size_t line = gap.find("\n// -----");
  if (line == std::string_view::npos) return false;
  const std::size_t end = line + std::string_view("\n// -----").size();
  return end == gap.size() || gap[end] == '\n' || gap[end] == '\r';
}

void Reader::read_header() {
  const std::size_t begin = scanner_.offset();
  try {
    module_.name = scanner_.peek() == '"' ? scanner_.quoted("a module's name") : scanner_.name("a module's name");
    scanner_.accept(':');
    while (scanner_.accept(',')) module_.attributes.push_back(read_attribute(scanner_));
  } catch (const SyntaxError& error) {
    if (truncated(error)) throw;
    diagnostics_.error(error);
    const std::size_t line = text_->find('\n', begin);
    scanner_.move_to(std::min(line, text_->size()));
    complete_ = false;
  }
}

void Reader::read_tables() {
  while (scanner_.skip_space()) {
    const auto* name =
        std::ranges::find_if(source_tables, [this](std::string_view word) { return scanner_.accept(word); });
    if (name == source_tables.end()) return;
    SourceTable table{*name, {}};
    while (scanner_.peek() >= '0' && scanner_.peek() <= '9') {
      const std::size_t begin = scanner_.offset();
      if (scanner_.integer("a number") != std::int64_t(table.entries.size()) + 1) {
        scanner_.fail_at(scanner_.text().substr(begin, scanner_.offset() - begin),
                         fmt::format("expected entry {} of {}", table.entries.size() + 1, table.name));
      }
      scanner_.skip_space();
      const std::size_t entry = scanner_.offset();
      if (scanner_.peek() == '"') {
        scanner_.quoted("a string");
      } else {
        read_fields(scanner_);
      }
      table.entries.push_back(scanner_.text().substr(entry, scanner_.offset() - entry));
    }
    module_.tables.push_back(std::move(table));
  }
}

std::string_view Reader::invent_name(std::string_view stem, const std::function<bool(std::string_view)>& taken) {
  std::deque<std::string>& names = *module_.invented_names;
  names.emplace_back(stem);
  while (taken(names.back())) names.back() = fmt::format("{}.{}", stem, ++invented_);
  return names.back();
}

void Reader::finish_module() {
  if (!complete_) return;
  choose_entry();
  resolve_calls();
  module_.computations.shrink_to_fit();
  module_.instructions.shrink_to_fit();
  module_.operand_list.shrink_to_fit();
  module_.attribute_list.shrink_to_fit();
}

void Reader::choose_entry() {
  if (module_.computations.empty()) scanner_.fail_expected("a computation");
  // Compilers print signatures and an ENTRY. In hand-written text without them, the last computation is the entry.
  if (module_.entry < 0 && signatures_ && !scanner_.skip_space()) {
    scanner_.fail_at_end(fmt::format("module '{}' ends without its ENTRY computation", module_.name));
  }
  if (module_.entry < 0) module_.entry = ComputationIndex(module_.computations.size()) - 1;
  if (module_.name.empty()) module_.name = module_.computations[std::size_t(module_.entry)].name;
}

void Reader::resolve_calls() {
  const int errors = diagnostics_.errors();
  module_.called_list.reserve(called_names_.size());
  for (const std::string_view name : called_names_) {
    const auto found = computations_.find(name);
    module_.called_list.push_back(found == computations_.end() ? -1 : found->second);
    if (found != computations_.end() || diagnostics_.full()) continue;
    std::vector<std::string> names;
    for (const Computation& computation : module_.computations) names.emplace_back(computation.name);
    diagnostics_.error(name, fmt::format("there is no computation '{}'", name), base::did_you_mean(name, names));
  }
  if (diagnostics_.errors() == errors) check_calls(module_, called_locations_, diagnostics_);
}

bool ReadResult::ok() const {
  return std::ranges::none_of(diagnostics, [](const base::Diagnostic& diagnostic) {
    return diagnostic.severity == base::Diagnostic::Severity::error;
  });
}

namespace {

/// Reads MLIR text as the HLO text that it is translated to; messages are about the MLIR text.
ReadResult read_mlir(const std::string& file, std::string text, UnknownOpcodes unknown) {
  stablehlo::HloText hlo = stablehlo::hlo_text(file, text);
  ReadResult result{{}, std::move(hlo.diagnostics)};
  if (!result.ok()) return result;
  auto origin =
      std::make_shared<const stablehlo::TextOrigin>(stablehlo::TextOrigin{std::move(text), std::move(hlo.lines)});
  ReadResult read = Reader(file, std::move(hlo.text), unknown, std::move(origin)).read();
  result.modules = std::move(read.modules);
  std::ranges::move(read.diagnostics, std::back_inserter(result.diagnostics));
  return result;
}

}  // namespace

ReadResult read(const std::string& file, std::string text, UnknownOpcodes unknown) {
  try {
    if (stablehlo::is_mlir(text)) return read_mlir(file, std::move(text), unknown);
    if (proto::is_module_proto(text)) text = proto::module_text(file, text);
  } catch (const base::InputError& damage) {
    return {{}, damage.diagnostics()};
  }
  return Reader(file, std::move(text), unknown).read();
}

}  // namespace podsim::hlo::text
