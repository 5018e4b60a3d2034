// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/text_table.h"
#include "studies/whatif/gain_rows.h"

namespace podsim::studies::whatif {
namespace {

using Json = nlohmann::ordered_json;

/// Samples, or else steps, per second.
double rate_of(const Json& figures) {
  const double samples = figures.value("samples_per_s", 0.0), step = figures.value("step_time_s", 0.0);
  return samples > 0 ? samples : step > 0 ? 1 / step : 0;
}

/// Samples, or else steps, per joule; 0 if the step takes none.
double per_joule(const Json& figures) {
  const Json energy = figures.value("energy", Json::object());
  const double samples = energy.value("samples_per_j", 0.0), step = energy.value("step_j", 0.0);
  return samples > 0 ? samples : step > 0 ? 1 / step : 0;
}

/// The first line of an error, without its location: "error: ...".
std::string first_line(const std::string& error) {
  const std::string line = error.substr(0, error.find('\n'));
  const std::size_t at = line.find("error: ");
  return at == std::string::npos ? line : line.substr(at + 7);
}

std::string times(const std::optional<double>& gain) { return gain ? fmt::format("{:.3f}", *gain) : ""; }

/// A block for every fiftieth that a row gains, at most 40.
std::string bar(double gain) {
  constexpr double most = 40, step = 0.02;
  const auto blocks = std::lround(std::clamp((gain - 1) / step, 0.0, most));
  std::string text;
  for (long i = 0; i < blocks; ++i) text += "█";
  return text;
}

std::string name_of(Change::Kind kind) {
  return kind == Change::Kind::twice ? "twice" : kind == Change::Kind::half ? "half" : "";
}

}  // namespace

void add_gain(Gains& gains, Change change, std::string command, const sweep::Trial& trial) {
  Gain gain{.change = std::move(change), .command = std::move(command)};
  if (trial.done) {
    gain.step_s = trial.figures.value("step_time_s", 0.0);
    const double before = rate_of(gains.figures), joules_before = per_joule(gains.figures);
    if (before > 0) {
      gain.rate = rate_of(trial.figures) / before;
      gain.per_joule = joules_before > 0 ? per_joule(trial.figures) / joules_before : 0;
      gain.gain = gains.by == Measure::rate ? gain.rate : gain.per_joule;
    } else {
      gain.refusal = "the step takes no time";
    }
  } else {
    gain.refusal = first_line(trial.error);
  }
  gains.of.push_back(std::move(gain));
}

std::string gains_text(const Gains& gains) {
  using Align = base::text::TextTable::Align;
  const Json& figures = gains.figures;
  const double step = figures.value("step_time_s", 0.0), samples = figures.value("samples_per_s", 0.0);
  std::string text = fmt::format("{}: {:.4g} ms a step", gains.command, step * 1e3);
  if (samples > 0) text += fmt::format(", {:.6g} samples/s", samples);
  text += fmt::format("\n\n{} per {} over those of that step:\n\n", samples > 0 ? "Samples" : "Steps",
                      gains.by == Measure::rate ? "second" : "joule");
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
  table.row({"", "twice", "half", "with it", ""});
  std::string refused;
  for (const GainRow& row : rows_of(gains)) {
    if (row.best() > 0) {
      const auto gain = [](const Gain* of) { return of != nullptr ? times(of->gain) : ""; };
      table.row({row.subject, gain(row.twice), gain(row.half), gain(row.choice), bar(row.best())});
    }
    for (const Gain* of : {row.twice, row.half, row.choice}) {
      if (of == nullptr || of->gain) continue;
      const std::string kind = name_of(of->change.kind);
      refused += fmt::format("  {}{}{}: {}\n", kind, kind.empty() ? "" : " ", row.subject, of->refusal);
    }
  }
  text += table.text();
  if (!refused.empty()) text += "\nnot possible:\n" + refused;
  return text;
}

nlohmann::ordered_json gains_json(const Gains& gains) {
  Json rows = Json::array();
  for (const Gain& gain : gains.of) {
    Json row = {{"subject", gain.change.subject}, {"change", name_of(gain.change.kind)}, {"command", gain.command}};
    if (gain.gain) {
      row["step_time_s"] = gain.step_s;
      row["gain"] = *gain.gain;
      row["rate"] = gain.rate;
      row["per_joule"] = gain.per_joule;
    } else {
      row["refused"] = gain.refusal;
    }
    rows.push_back(std::move(row));
  }
  return {{"schema_version", 1},
          {"command", "whatif"},
          {"run", gains.command},
          {"by", gains.by == Measure::rate ? "rate" : "energy"},
          {"step_time_s", gains.figures.value("step_time_s", 0.0)},
          {"samples_per_s", gains.figures.value("samples_per_s", 0.0)},
          {"changes", rows}};
}

}  // namespace podsim::studies::whatif
