// SPDX-License-Identifier: Apache-2.0
#include "base/trace/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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

std::string declaration(const TracedSignal& signal, std::string_view code) {
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

// Each writes at `out` and returns the end.

char* write_binary(char* out, std::uint64_t value, int bits) {
  if (bits < 64) value &= (std::uint64_t(1) << bits) - 1;
  for (int bit = std::max(int(std::bit_width(value)), 1) - 1; bit >= 0; --bit) *out++ = char('0' + (value >> bit & 1));
  return out;
}

constexpr std::size_t escaped_length = 4;

char* write_escaped(char* out, std::string_view text) {
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != '\\') {
      *out++ = c;
    } else {
      const auto code = static_cast<unsigned char>(c);
      out = std::ranges::copy(std::array<char, escaped_length>{'\\', char('0' + code / 64), char('0' + code / 8 % 8),
                                                               char('0' + code % 8)},
                              out)
                .out;
    }
  }
  return out;
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
  Variable variable{{}, 0, kind, bits};
  const std::string line_end = identifier(variables_.size()) + '\n';
  variable.line_end_size = line_end.copy(variable.line_end.data(), variable.line_end.size());
  variables_.push_back(variable);
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
  std::string header = "$version podsim $end\n$timescale 1 ps $end\n";
  auto write_scope = [&](const auto& self, const Scope& scope) -> void {
    for (std::size_t i : scope.signals) {
      const Variable& variable = variables_[i];
      header += declaration(signals_[i], {variable.line_end.data(), variable.line_end_size - 1});
    }
    for (const Scope& inner : scope.inner) {
      header += fmt::format("$scope module {} $end\n", inner.name);
      self(self, inner);
      header += "$upscope $end\n";
    }
  };
  write_scope(write_scope, scope_tree(signals_));
  header += "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Variable& variable : variables_) {
    header += unknown_value(variable.kind);
    header.append(variable.line_end.data(), variable.line_end_size);
  }
  header += "$end\n";
  out_.write(header.data(), std::streamsize(header.size()));
}

void VcdWriter::advance(Time now) {
  if (now == now_) return;
  forecasts_.show_before(now);
  if (now == now_) return;
  if (!started_) write_header();
  if (now < now_) {
    throw std::logic_error(fmt::format("trace change at {} ps after one at {} ps", now.value(), now_.value()));
  }
  now_ = now;
  if (buffer_.text().size() >= vcd_buffer) flush();
  const fmt::format_int digits(now.value());
  char* out = buffer_.space(digits.size() + 2);
  *out++ = '#';
  out = std::copy_n(digits.data(), digits.size(), out);
  *out++ = '\n';
  buffer_.end_at(out);
}

void VcdWriter::flush() {
  out_.write(buffer_.text().data(), std::streamsize(buffer_.text().size()));
  buffer_.clear();
}

char* VcdWriter::space(const Variable& variable, std::size_t value) {
  return buffer_.space(value + variable.line_end.size());
}

void VcdWriter::end_line(char* out, const Variable& variable) {
  std::ranges::copy(variable.line_end, out);  // all of them, since a fixed size is copied at once
  buffer_.end_at(out + variable.line_end_size);
}

void VcdWriter::change(int id, Time now, std::int64_t value) {
  advance(now);
  const Variable& variable = variables_[std::size_t(id)];
  constexpr std::size_t longest = 66;
  char* out = space(variable, longest);
  if (variable.kind == SignalKind::wire) {
    *out++ = value != 0 ? '1' : '0';
  } else {
    *out++ = 'b';
    out = write_binary(out, std::uint64_t(value), variable.bits);
    *out++ = ' ';
  }
  end_line(out, variable);
}

void VcdWriter::change(int id, Time now, double value) {
  advance(now);
  const Variable& variable = variables_[std::size_t(id)];
  constexpr std::size_t longest = 32;
  end_line(fmt::format_to(space(variable, longest), "r{} ", value), variable);
}

void VcdWriter::change(int id, Time now, std::string_view value) {
  advance(now);
  const Variable& variable = variables_[std::size_t(id)];
  char* out = space(variable, escaped_length * value.size() + 2);
  *out++ = 's';
  out = write_escaped(out, value);
  *out++ = ' ';
  end_line(out, variable);
}

void VcdWriter::finish(Time end) {
  if (!started_) write_header();
  const Time last = std::max(end, now_);
  forecasts_.show_before(last + Time(1));
  advance(last);
  flush();
  if (file_ != nullptr) file_->commit();
}

}  // namespace podsim::base::trace
