// SPDX-License-Identifier: Apache-2.0
#include "base/trace/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "base/text/glob.h"

namespace podsim::base::trace {
namespace {

constexpr std::size_t vcd_buffer = 1 << 16;

/// Short identifiers of printable ASCII: '!', '"', ..., '~', '!!', ...
std::string identifier(std::size_t number) {
  constexpr std::size_t digits = 94;
  std::string code;
  for (++number; number > 0; number = (number - 1) / digits) code += char('!' + (number - 1) % digits);
  return code;
}

struct Scope {
  std::string name;
  std::vector<std::size_t> signals;
  std::vector<Scope> inner;

  Scope& child(std::string_view wanted) {
    // Search from the back, where the scope of the previous signal usually is.
    auto found = std::find_if(inner.rbegin(), inner.rend(), [&](const Scope& scope) { return scope.name == wanted; });
    if (found != inner.rend()) return *found;
    return inner.emplace_back(Scope{std::string(wanted), {}, {}});
  }
};

Scope scope_tree(const std::vector<TracedSignal>& signals) {
  Scope root;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    Scope* scope = &root;
    std::string_view rest = signals[i].scope;
    while (!rest.empty()) {
      std::size_t dot = std::min(rest.find('.'), rest.size());
      scope = &scope->child(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    scope->signals.push_back(i);
  }
  return root;
}

std::string declaration(const TracedSignal& signal, const std::string& code) {
  switch (signal.kind) {
    case SignalKind::wire:
      return fmt::format("$var wire 1 {} {} $end\n", code, signal.name);
    case SignalKind::integer:
      return fmt::format("$var wire {} {} {} [{}:0] $end\n", signal.bits, code, signal.name, signal.bits - 1);
    case SignalKind::real:
      return fmt::format("$var real 64 {} {} $end\n", code, signal.name);
    case SignalKind::text:
      return fmt::format("$var string 1 {} {} $end\n", code, signal.name);
  }
  return "";
}

std::string_view unknown_value(SignalKind kind) {
  switch (kind) {
    case SignalKind::wire:
      return "x";
    case SignalKind::integer:
      return "bx ";
    case SignalKind::real:
      return "rnan ";
    case SignalKind::text:
      return "s ";
  }
  return "";
}

void append_binary(std::string& out, std::uint64_t value, int bits) {
  if (bits < 64) value &= (std::uint64_t(1) << bits) - 1;
  char digits[64];
  int count = 0;
  do {
    digits[count++] = char('0' + (value & 1));
    value >>= 1;
  } while (value != 0);
  while (count > 0) out += digits[--count];
}

void append_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c > ' ' && c <= '~' && c != '\\') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\{:03o}", static_cast<unsigned char>(c));
    }
  }
}

std::string without_blanks(std::string_view text) {
  std::string name(text);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c <= ' '; }, '_');
  return name;
}

}  // namespace

VcdWriter::VcdWriter(const std::filesystem::path& path, std::vector<std::string> patterns)
    : patterns_(std::move(patterns)),
      matched_(patterns_.size()),
      file_(std::make_unique<host::OutputFile>(path)),
      out_(file_->stream()) {}

VcdWriter::VcdWriter(std::ostream& out, std::vector<std::string> patterns)
    : patterns_(std::move(patterns)), matched_(patterns_.size()), out_(out) {}

VcdWriter::~VcdWriter() = default;

bool VcdWriter::wants(std::string_view name) const {
  return patterns_.empty() || std::any_of(patterns_.begin(), patterns_.end(),
                                          [&](const std::string& p) { return text::glob_match(p, name); });
}

int VcdWriter::declare(std::string_view scope, std::string_view name, SignalKind kind, int bits) {
  if (started_) throw std::logic_error(fmt::format("signal '{}.{}' is declared after time zero", scope, name));
  if (bits < 1 || bits > 64) throw std::logic_error(fmt::format("signal '{}.{}' has {} bits", scope, name, bits));
  if (kind == SignalKind::integer && bits == 1) kind = SignalKind::wire;
  std::string full = without_blanks(scope.empty() ? name : fmt::format("{}.{}", scope, name));
  std::size_t dot = full.rfind('.');
  TracedSignal signal{dot == std::string::npos ? "" : full.substr(0, dot), full.substr(dot + 1), kind, bits};
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (text::glob_match(patterns_[i], full)) matched_[i] = true;
  }
  signals_.push_back(std::move(signal));
  variables_.push_back({identifier(variables_.size()), kind, bits});
  return int(variables_.size()) - 1;
}

std::vector<std::string> VcdWriter::unmatched_patterns() const {
  std::vector<std::string> unmatched;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (!matched_[i]) unmatched.push_back(patterns_[i]);
  }
  return unmatched;
}

void VcdWriter::write_header() {
  started_ = true;
  const std::string initial_changes = std::exchange(buffer_, {});
  buffer_ += "$version podsim $end\n$timescale 1 ps $end\n";
  auto write_scope = [this](const auto& self, const Scope& scope) -> void {
    for (std::size_t i : scope.signals) buffer_ += declaration(signals_[i], variables_[i].code);
    for (const Scope& inner : scope.inner) {
      buffer_ += fmt::format("$scope module {} $end\n", inner.name);
      self(self, inner);
      buffer_ += "$upscope $end\n";
    }
  };
  write_scope(write_scope, scope_tree(signals_));
  buffer_ += "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Variable& variable : variables_) {
    buffer_ += unknown_value(variable.kind);
    buffer_ += variable.code;
    buffer_ += '\n';
  }
  buffer_ += "$end\n" + initial_changes;
}

void VcdWriter::advance(Time now) {
  if (now == now_) return;
  if (!started_) write_header();
  if (now < now_) {
    throw std::logic_error(fmt::format("trace change at {} ps after one at {} ps", now.value(), now_.value()));
  }
  now_ = now;
  if (buffer_.size() >= vcd_buffer) flush();
  buffer_ += '#';
  fmt::format_int digits(now.value());
  buffer_.append(digits.data(), digits.size());
  buffer_ += '\n';
}

void VcdWriter::flush() {
  out_.write(buffer_.data(), std::streamsize(buffer_.size()));
  buffer_.clear();
}

void VcdWriter::change(int id, Time now, std::int64_t value) {
  advance(now);
  const Variable& variable = variables_[std::size_t(id)];
  if (variable.kind == SignalKind::wire) {
    buffer_ += value != 0 ? '1' : '0';
  } else {
    buffer_ += 'b';
    append_binary(buffer_, std::uint64_t(value), variable.bits);
    buffer_ += ' ';
  }
  buffer_ += variable.code;
  buffer_ += '\n';
}

void VcdWriter::change(int id, Time now, double value) {
  advance(now);
  fmt::format_to(std::back_inserter(buffer_), "r{} {}\n", value, variables_[std::size_t(id)].code);
}

void VcdWriter::change(int id, Time now, std::string_view value) {
  advance(now);
  buffer_ += 's';
  append_escaped(buffer_, value);
  buffer_ += ' ';
  buffer_ += variables_[std::size_t(id)].code;
  buffer_ += '\n';
}

void VcdWriter::finish(Time end) {
  if (!started_) write_header();
  advance(std::max(end, now_));
  flush();
  if (file_ != nullptr) file_->commit();
}

}  // namespace podsim::base::trace
