// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/dimensional.h"
#include "studies/plan/study_values.h"

namespace podsim::studies::plan {

namespace {

constexpr double max_values = 1e6;

/// Parts of a range, in the unit that `from` is written in.
struct Range {
  double from = 0, to = 0;
  std::optional<double> step;
  std::optional<double> points;
  bool log = false;
};

class RangeReader {
 public:
  RangeReader(const StudyKeys& keys, const std::string& key, const toml::table& table, StudyText& text)
      : keys_(keys), key_(key), table_(table), text_(text) {}

  std::vector<StudyValue> read() {
    if (!keys_.is_number(key_))
      throw base::InputError(fmt::format("'{}' does not take numbers: list its values", key_));
    check_names();
    find_unit();
    Range range;
    range.from = required("from");
    range.to = required("to");
    if (table_.contains("step")) range.step = required("step");
    if (const toml::node* node = table_.get("points")) range.points = whole(*node);
    range.log = is_log();
    std::vector<StudyValue> values;
    for (double number : numbers(range)) values.push_back(value(number));
    return values;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, std::string message, std::string hint = "") const {
    throw base::InputError({base::Diagnostic::Severity::error, std::move(message), text_.place(node), std::move(hint)});
  }

  void check_names() const {
    static const std::vector<std::string> names{"from", "to", "step", "points", "scale"};
    for (const StudyEntry& entry : text_.entries(table_)) {
      if (std::ranges::find(names, entry.key) != names.end()) continue;
      throw base::InputError({base::Diagnostic::Severity::error, fmt::format("'{}' is no part of a range", entry.key),
                              entry.place, base::did_you_mean(entry.key, names)});
    }
    if (table_.contains("step") == table_.contains("points")) {
      throw base::InputError("a range has either a step or a number of points",
                             "as in { from = 32, to = 256, step = 32 }");
    }
  }

  /// Finds the unit of `from` and its size in SI units.
  void find_unit() {
    const auto* text = table_.get("from") == nullptr ? nullptr : table_.get("from")->as_string();
    if (text == nullptr) return;
    const std::size_t end = text->get().find_last_of("0123456789.");
    unit_ = end == std::string::npos ? "" : text->get().substr(end + 1);
    if (const std::size_t begin = unit_.find_first_not_of(' '); begin != std::string::npos) unit_ = unit_.substr(begin);
    if (unit_.empty()) return;
    si_ = base::parse_dimensional("1000000 " + unit_, text_.inside(*text)).si / 1e6;
  }

  double required(const char* name) const {
    const toml::node* node = table_.get(name);
    if (node == nullptr) throw base::InputError(fmt::format("a range has no '{}'", name));
    // A step may be negative, and smaller than the key's least value, so a plain number is not checked as a value.
    if (const std::optional<double> plain = node->value<double>(); plain && unit_.empty()) {
      if (!std::isfinite(*plain)) fail(*node, fmt::format("'{}' is a finite number", name));
      if (keys_.machine_entry(key_) == nullptr || keys_.unit(key_).empty()) return *plain;
    }
    std::optional<StudyValue> value = read_study_value(keys_, key_, *node, text_);
    if (!value || !value->number) throw base::InputError(std::vector<base::Diagnostic>{});
    return *value->number / si_;
  }

  double whole(const toml::node& node) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1) fail(node, "'points' is a whole number, 1 or more");
    return double(number->get());
  }

  bool is_log() const {
    const toml::node* node = table_.get("scale");
    if (node == nullptr) return false;
    const std::string scale = node->value_or(std::string());
    if (scale != "log" && scale != "linear") fail(*node, fmt::format("'{}' is no scale", scale), "linear or log");
    return scale == "log";
  }

  std::vector<double> numbers(const Range& range) const {
    if (range.log) check_log(range);
    const double count = range.points ? *range.points : steps(range) + 1;
    if (count > max_values)
      throw base::InputError(fmt::format("the range has {:.0f} values", count), "at most 1000000");
    std::vector<double> numbers;
    for (double i = 0; i < count; ++i) {
      const double way = count > 1 ? i / (count - 1) : 0;
      if (range.step) {
        numbers.push_back(range.from + i * *range.step);
      } else if (range.log) {
        numbers.push_back(range.from * std::pow(range.to / range.from, way));
      } else {
        numbers.push_back(range.from + way * (range.to - range.from));
      }
    }
    return numbers;
  }

  void check_log(const Range& range) const {
    if (range.step) fail(*table_.get("step"), "a logarithmic range has a number of points, not a step");
    if (!(range.from > 0 && range.to > 0)) throw base::InputError("a logarithmic range is of numbers above 0");
  }

  /// Number of steps. The tolerance of 1e-9 steps keeps a last value that only rounding moves past the end.
  double steps(const Range& range) const {
    if (*range.step == 0) fail(*table_.get("step"), "a step of 0 goes nowhere");
    const double steps = std::floor((range.to - range.from) / *range.step + 1e-9);
    if (steps < 0) fail(*table_.get("step"), "the step leads away from 'to': the range is empty");
    return steps;
  }

  StudyValue value(double number) const {
    if (unit_.empty()) return keys_.value(key_, keys_.is_whole(key_) ? std::round(number) : number);
    const std::string si = keys_.unit(key_);
    const bool counted = si == "B" || si == "cycles";
    if (counted && std::round(number * si_) != number * si_) return keys_.value(key_, std::round(number * si_));
    StudyValue value{key_, fmt::format("{} {}", number_text(number), unit_), std::nullopt};
    value.number = base::parse_dimensional(value.text, {}).si;
    if (const StudyFlag* flag = keys_.flag(key_)) check_flag_value(*flag, value.text);
    return value;
  }

  const StudyKeys& keys_;
  const std::string& key_;
  const toml::table& table_;
  StudyText& text_;
  std::string unit_;  ///< unit of `from`; empty for plain numbers
  double si_ = 1;     ///< one unit_ in SI units
};

}  // namespace

std::vector<StudyValue> read_study_range(const StudyKeys& keys, const std::string& key, const toml::table& range,
                                         StudyText& text) {
  return RangeReader(keys, key, range, text).read();
}

}  // namespace podsim::studies::plan
