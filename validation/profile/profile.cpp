// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "base/csv_reader.h"
#include "validation/profile/trace_events.h"
#include "validation/profile/trace_profile.h"

namespace podsim::validation::profile {
namespace {

constexpr double micro = 1e-6;
constexpr double giga = 1e9;
constexpr double gibi = double(std::int64_t(1) << 30);
constexpr std::size_t max_errors = 20;

/// A column's name for comparison: its letters and digits, in lower case.
std::string folded(std::string_view name) {
  std::string result;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '%') result += c;
  }
  return result;
}

/// Numbers of the columns; -1 if a column is missing.
struct Columns {
  int category = -1, hlo_text = -1, tf_op = -1, occurrences = -1;
  int average_self = -1, total_self = -1, gflops = -1, bandwidth = -1, bound_by = -1;
  std::size_t count = 0;
};

int column(const std::vector<base::CsvField>& head, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    auto found = std::ranges::find_if(head, [&](const base::CsvField& field) { return folded(field.value) == name; });
    if (found != head.end()) return int(found - head.begin());
  }
  return -1;
}

class ProfileReader {
 public:
  ProfileReader(const std::string& file, std::string_view text) : file_(file), records_(file, text) {}

  Profile read() {
    read_head();
    Profile profile{file_, {}, {}};
    for (std::vector<base::CsvField> fields; records_.next(fields);) {
      const std::size_t before = errors_.size();
      ProfileOp op = read_row(fields);
      if (errors_.size() == before) profile.ops.push_back(std::move(op));
      if (errors_.size() >= max_errors) break;
    }
    if (!errors_.empty()) throw base::InputError(std::move(errors_));
    return profile;
  }

 private:
  void read_head() {
    std::vector<base::CsvField> head;
    if (!records_.next(head)) throw base::InputError("'" + file_ + "' is empty", "expected XProf's HLO op stats");
    columns_ = {.category = column(head, {"category", "hloopcategory"}),
                .hlo_text = column(head, {"hloop", "hlooptext", "hlooptextexpression", "hloopexpression"}),
                .tf_op = column(head, {"tfop", "frameworkop", "tfopname", "frameworkopname"}),
                .occurrences = column(head, {"occurrences"}),
                .average_self = column(head, {"avgselftimeus"}),
                .total_self = column(head, {"totalselftimeus"}),
                .gflops = column(head, {"measuredgflops", "gflops", "modelgflops"}),
                .bandwidth = column(head, {"measuredmemorybwgibs", "memorybwgibs", "hbmbwgibs"}),
                .bound_by = column(head, {"boundby"}),
                .count = head.size()};
    need(columns_.category >= 0, head, "Category");
    need(columns_.hlo_text >= 0, head, "HLO op");
    need(columns_.occurrences >= 0, head, "#Occurrences");
    need(columns_.average_self >= 0 || columns_.total_self >= 0, head, "Avg. self time (us)");
  }

  void need(bool found, const std::vector<base::CsvField>& head, const std::string& name) const {
    if (found) return;
    throw base::InputError({.message = "there is no column '" + name + "'",
                            .location = records_.location(head.front()),
                            .hint = "the first line of XProf's HLO op stats names the columns"});
  }

  ProfileOp read_row(const std::vector<base::CsvField>& fields) {
    ProfileOp op;
    if (fields.size() != columns_.count) {
      fail(fields.back(), fmt::format("this row has {} fields, the first one {}", fields.size(), columns_.count));
      return op;
    }
    op.category = fields[columns_.category].value;
    op.hlo_text = fields[columns_.hlo_text].value;
    op.line = records_.line();
    if (columns_.tf_op >= 0) op.tf_op = fields[columns_.tf_op].value;
    const double occurrences = number(fields[columns_.occurrences]).value_or(0);
    if (occurrences != std::floor(occurrences) || occurrences > 1e15) {
      fail(fields[columns_.occurrences], "an op occurs a whole number of times");
      return op;
    }
    op.occurrences = std::int64_t(occurrences);
    const std::optional<double> average = time(fields, columns_.average_self);
    const std::optional<double> total = time(fields, columns_.total_self);
    op.self_time_s = average.value_or(occurrences > 0 ? total.value_or(0) / occurrences : 0);
    op.total_self_time_s = total.value_or(op.self_time_s * occurrences);
    if (columns_.bound_by >= 0) op.bound_by = fields[columns_.bound_by].value;
    auto counted = [&](int at, double unit) -> std::optional<double> {
      if (at < 0 || fields[at].value.empty()) return std::nullopt;
      return number(fields[at]).value_or(0) * unit * op.self_time_s;
    };
    op.flops = counted(columns_.gflops, giga);
    op.bytes = counted(columns_.bandwidth, gibi);
    return op;
  }

  /// A time in seconds; std::nullopt if the column is missing.
  std::optional<double> time(const std::vector<base::CsvField>& fields, int at) {
    if (at < 0) return std::nullopt;
    return micro * number(fields[std::size_t(at)]).value_or(0);
  }

  /// A number that is not negative.
  std::optional<double> number(const base::CsvField& field) {
    double value = 0;
    const char* end = field.value.data() + field.value.size();
    const auto [stop, error] = std::from_chars(field.value.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) {
      fail(field, "'" + field.value + "' is not a number");
      return std::nullopt;
    }
    if (value < 0) {
      fail(field, "'" + field.value + "' is below zero");
      return std::nullopt;
    }
    return value;
  }

  void fail(const base::CsvField& field, std::string message) {
    errors_.push_back({.message = std::move(message), .location = records_.location(field), .hint = ""});
  }

  std::string file_;
  base::CsvReader records_;
  Columns columns_;
  std::vector<base::Diagnostic> errors_;
};

}  // namespace

Profile read_profile(const std::string& file, std::string_view text) {
  return is_trace(text) ? trace_profile(file, text) : ProfileReader(file, text).read();
}

}  // namespace podsim::validation::profile
