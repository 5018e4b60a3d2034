// SPDX-License-Identifier: Apache-2.0
#include "base/dimensional.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/text/utf8.h"

namespace podsim::base {
namespace {

/// value * multiplier / divisor is the value in base units; a divisor keeps "300 ns" the double nearest to 3e-7.
struct Unit {
  std::string name;
  Dimensional::Kind kind;
  double multiplier = 1;
  double divisor = 1;
};

void add_data_units(std::vector<Unit>& units) {
  struct Prefix {
    const char* name;
    double factor;
  };
  for (Prefix prefix : {Prefix{"", 1},
                        {"k", 1e3},
                        {"M", 1e6},
                        {"G", 1e9},
                        {"T", 1e12},
                        {"P", 1e15},
                        {"Ki", 0x1p10},
                        {"Mi", 0x1p20},
                        {"Gi", 0x1p30},
                        {"Ti", 0x1p40},
                        {"Pi", 0x1p50}}) {
    std::string name = prefix.name;
    units.push_back({name + "B/s", Dimensional::Kind::bandwidth, prefix.factor});
    units.push_back({name + "B", Dimensional::Kind::bytes, prefix.factor});
    units.push_back({name + "b", Dimensional::Kind::bytes, prefix.factor, 8});
    units.push_back({name + "b/s", Dimensional::Kind::bandwidth, prefix.factor, 8});
  }
}

std::vector<Unit> make_units() {
  using Kind = Dimensional::Kind;
  std::vector<Unit> units = {
      {"s", Kind::duration},
      {"min", Kind::duration, 60},
      {"h", Kind::duration, 3600},
      {"days", Kind::duration, 86'400},
      {"ms", Kind::duration, 1, 1e3},
      {"us", Kind::duration, 1, 1e6},
      {"\u00b5s", Kind::duration, 1, 1e6},
      {"ns", Kind::duration, 1, 1e9},
      {"ps", Kind::duration, 1, 1e12},
      {"Hz", Kind::frequency},
      {"kHz", Kind::frequency, 1e3},
      {"MHz", Kind::frequency, 1e6},
      {"GHz", Kind::frequency, 1e9},
      {"J", Kind::energy},
      {"mJ", Kind::energy, 1, 1e3},
      {"uJ", Kind::energy, 1, 1e6},
      {"nJ", Kind::energy, 1, 1e9},
      {"pJ", Kind::energy, 1, 1e12},
      {"fJ", Kind::energy, 1, 1e15},
      {"W", Kind::power},
      {"mW", Kind::power, 1, 1e3},
      {"kW", Kind::power, 1e3},
      {"MW", Kind::power, 1e6},
      {"cycle", Kind::cycles},
      {"cycles", Kind::cycles},
  };
  add_data_units(units);
  return units;
}

const std::vector<Unit>& units() {
  static const std::vector<Unit> all = make_units();
  return all;
}

[[noreturn]] void reject_part(const SourceLocation& where, std::string_view text, std::string_view part,
                              std::string message, std::string hint) {
  SourceLocation location = where;
  std::string_view before = text.substr(0, std::size_t(part.data() - text.data()));
  location.column += int(text::utf8_characters(before).size());
  location.length = std::max(int(text::utf8_characters(part).size()), 1);
  throw InputError(Diagnostic{Diagnostic::Severity::error, std::move(message), std::move(location), std::move(hint)});
}

std::string suggest_unit(std::string_view written) {
  // KB is in use for both 1000 and 1024 bytes, so neither is guessed.
  if (written == "KB" || written == "KB/s") {
    return fmt::format("write k{0} for 1000 bytes or Ki{0} for 1024", written.substr(1));
  }
  if (written == "Kb" || written == "Kb/s") {
    return fmt::format("write k{0} for 1000 bits or Ki{0} for 1024", written.substr(1));
  }
  std::vector<std::string> names;
  for (const Unit& unit : units()) names.push_back(unit.name);
  std::string hint = did_you_mean(written, names);
  return hint.empty() ? "units are such as ns, MHz, GB/s, Gb/s, MiB, pJ, W, cycles" : hint;
}

std::string_view trim(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::size_t end = text.find_last_not_of(" \t") + 1;
  return begin < end ? text.substr(begin, end - begin) : text.substr(begin, 0);
}

}  // namespace

std::string to_string(Dimensional::Kind kind) {
  switch (kind) {
    case Dimensional::Kind::duration:
      return "a duration";
    case Dimensional::Kind::frequency:
      return "a frequency";
    case Dimensional::Kind::bandwidth:
      return "a bandwidth";
    case Dimensional::Kind::bytes:
      return "an amount of data";
    case Dimensional::Kind::energy:
      return "an energy";
    case Dimensional::Kind::power:
      return "a power";
    case Dimensional::Kind::cycles:
      return "a number of cycles";
  }
  return "";
}

bool looks_dimensional(std::string_view text) {
  text = trim(text);
  std::size_t digit = text.find_first_not_of("+-.");
  return digit <= 2 && digit < text.size() && text[digit] >= '0' && text[digit] <= '9';
}

Dimensional parse_dimensional(std::string_view text, const SourceLocation& where) {
  std::string_view body = trim(text);
  std::string_view digits = body.starts_with('+') ? body.substr(1) : body;
  double number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || !std::isfinite(number) || !looks_dimensional(text)) {
    reject_part(where, text, body, fmt::format("'{}' is not a number and a unit", body), "write it as in \"300 ns\"");
  }
  std::string_view name = trim(digits.substr(std::size_t(end - digits.data())));
  if (name.empty()) reject_part(where, text, body, fmt::format("'{}' has no unit", body), "write it as in \"300 ns\"");
  auto unit =
      std::find_if(units().begin(), units().end(), [&](const Unit& candidate) { return candidate.name == name; });
  if (unit == units().end())
    reject_part(where, text, name, fmt::format("'{}' is not a unit", name), suggest_unit(name));
  if (number < 0) reject_part(where, text, body, fmt::format("'{}' is negative", body), "");
  double si = number * unit->multiplier / unit->divisor;
  bool counted = unit->kind == Dimensional::Kind::bytes || unit->kind == Dimensional::Kind::cycles;
  if (counted && (si != std::floor(si) || si > 0x1p62)) {
    reject_part(where, text, body,
                fmt::format("'{}' is not a whole number of {}", body,
                            unit->kind == Dimensional::Kind::bytes ? "bytes" : "cycles"),
                "");
  }
  return {unit->kind, si};
}

}  // namespace podsim::base
