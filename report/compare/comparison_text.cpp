// SPDX-License-Identifier: Apache-2.0
// Part of report/compare/run_comparison.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/compare/arrow.h"
#include "report/compare/run_comparison.h"

namespace podsim::report::compare {
namespace {

using Align = base::text::TextTable::Align;

const std::array<std::string, 2> labels{"A", "B"};

std::string milliseconds(base::Time time) { return fmt::format("{:.3f}", base::to_duration(time).si() * 1e3); }

std::string change(base::Time time) {
  return time == base::Time(0) ? "" : fmt::format("{:+.3f}", base::to_duration(time).si() * 1e3);
}

std::string header(const RunComparison& comparison) {
  base::text::TextTable table({Align::left, Align::left, Align::left});
  for (std::size_t i = 0; i < 2; ++i) {
    table.row({labels[i], comparison.runs[i].name, comparison.runs[i].command_line});
  }
  return table.text();
}

/// A table of times that ends with the time outside the ops and the step.
class TimeTable {
 public:
  TimeTable(const RunComparison& comparison, const std::string& title, const std::string& last)
      : comparison_(comparison),
        table_({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}) {
    table_.row({title, "A, ms", "B, ms", "difference", "share", last});
  }

  void row(const std::string& name, base::Time a, base::Time b, const std::string& more = "",
           const std::string& most = "") {
    table_.row({"  " + name, milliseconds(a), milliseconds(b), change(b - a), share(b - a), more, most});
  }

  std::string text() {
    const auto& [a, b] = comparison_.runs;
    if (a.outside_ops() != base::Time(0) || b.outside_ops() != base::Time(0)) {
      row("outside the ops", a.outside_ops(), b.outside_ops());
    }
    row("step", a.step_time, b.step_time);
    return "\n" + table_.text();
  }

 private:
  std::string share(base::Time part) const {
    const base::Time whole = comparison_.difference();
    if (part == base::Time(0) || whole == base::Time(0)) return "";
    const double share = double(part.value()) / double(whole.value());
    return std::abs(share) < 0.0005 ? "" : base::text::percent(share);
  }

  const RunComparison& comparison_;
  base::text::TextTable table_;
};

std::string count(std::int64_t a, std::int64_t b) { return arrow(std::to_string(a), std::to_string(b)) + " ops"; }

/// A table with a row for each of the first `most` names and one row for the others.
std::string groups(const RunComparison& comparison, const std::string& title, const std::vector<TimeDifference>& rows,
                   const std::string& nameless, std::size_t most) {
  TimeTable table(comparison, title, "");
  TimeDifference rest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TimeDifference& row = rows[i];
    if (i < most || rows.size() == most + 1) {
      table.row(row.name.empty() ? nameless : row.name, row.a, row.b, count(row.ops_a, row.ops_b));
      continue;
    }
    rest.a += row.a;
    rest.b += row.b;
    rest.ops_a += row.ops_a;
    rest.ops_b += row.ops_b;
  }
  if (rows.size() > most + 1) {
    table.row(base::text::counted(std::int64_t(rows.size() - most), "other"), rest.a, rest.b,
              count(rest.ops_a, rest.ops_b));
  }
  return table.text();
}

/// The category of a row with its count, such as "2 times convolution fusion".
std::string kind(const OpDifference& row) {
  const OpGroup& group = row.a ? *row.a : *row.b;
  const std::string name =
      row.a && row.b ? arrow(category_names(*row.a), category_names(*row.b)) : category_names(group);
  const std::int64_t a = row.a ? row.a->ops : group.ops, b = row.b ? row.b->ops : group.ops;
  return a == 1 && b == 1 ? name : fmt::format("{} times {}", arrow(std::to_string(a), std::to_string(b)), name);
}

std::string bound(const OpDifference& row) {
  if (row.a && row.b) return arrow(row.a->bound, row.b->bound);
  return (row.a ? row.a->bound : row.b->bound) + ", " + to_string(row.match);
}

std::string ops(const RunComparison& comparison, std::size_t most) {
  const auto& rows = comparison.ops;
  const std::size_t changed = std::size_t(
      std::ranges::count_if(rows, [](const OpDifference& row) { return row.difference() != base::Time(0); }));
  const std::size_t shown = std::min(most, changed);
  TimeTable table(comparison, "  op", "bound");
  base::Time a, b;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const OpDifference& row = rows[i];
    if (i < shown) {
      table.row(row.name, row.time_a(), row.time_b(), bound(row), kind(row));
    } else {
      a += row.time_a();
      b += row.time_b();
    }
  }
  if (rows.size() > shown) table.row(fmt::format("the other {} of {}", rows.size() - shown, rows.size()), a, b);
  return table.text();
}

std::string unmatched(const RunComparison& comparison, OpDifference::Match side, std::size_t most) {
  std::vector<const OpDifference*> rows;
  base::Time time;
  for (const OpDifference& row : comparison.ops) {
    if (row.match != side) continue;
    rows.push_back(&row);
    time += row.time_a() + row.time_b();
  }
  if (rows.empty()) return "";
  base::text::TextTable table({Align::left, Align::right, Align::left, Align::left});
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const OpGroup& group = rows[i]->a ? *rows[i]->a : *rows[i]->b;
    table.row({"  " + rows[i]->name, milliseconds(group.time) + " ms", group.bound, category_names(group)});
  }
  if (rows.size() > most) table.row({"  " + base::text::counted(std::int64_t(rows.size() - most), "other")});
  return fmt::format("\n{}: {} of {} rows, {} ms\n", to_string(side), rows.size(), comparison.ops.size(),
                     milliseconds(time)) +
         table.text();
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, std::size_t most) {
  std::string text = header(comparison);
  if (comparison.equal()) return text + "\nno difference: configuration, figures and every op are the same\n";
  text += "\n" + configuration_text(comparison.settings, comparison.machine);
  text += "\n" + figures_text(labels, comparison.figures);
  if (!comparison.ops.empty()) {
    text += groups(comparison, "  by category", comparison.by_category, "none", comparison.by_category.size());
    text += groups(comparison, "  by phase", comparison.by_phase, "none", comparison.by_phase.size());
    text += groups(comparison, "  by layer", comparison.by_layer, "without a scope", most);
    text += groups(comparison, "  by what bounds them", comparison.by_bound, "unknown", comparison.by_bound.size());
    text += ops(comparison, most);
    text += unmatched(comparison, OpDifference::Match::only_a, most);
    text += unmatched(comparison, OpDifference::Match::only_b, most);
  }
  if (!comparison.collectives.empty()) text += "\n" + collectives_text(labels, comparison.collectives);
  if (!comparison.warnings.empty()) text += "\n";
  for (const std::string& warning : comparison.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace podsim::report::compare
