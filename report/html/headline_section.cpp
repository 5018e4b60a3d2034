// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <cmath>

#include "base/text/percent.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"

namespace podsim::report::html {
namespace {

/// A figure with its name and a detail.
std::string figure(std::string_view name, double value, std::string_view text, std::string_view detail) {
  std::string shown(text);
  // The unit is in a smaller font than the number.
  const std::size_t space = shown.find(' ');
  const std::string unit = space == std::string::npos ? "" : shown.substr(space + 1);
  if (space != std::string::npos) shown.resize(space);
  return fmt::format(
      "<div><dt>{}</dt><dd><data value=\"{}\">{} <small>{}</small></data></dd><dd class=\"detail\">{}</dd></div>\n",
      html_escaped(name), value, html_escaped(shown), html_escaped(unit), html_escaped(detail));
}

}  // namespace

std::string headline_html(const RunFiles& files) {
  const auto& stats = files.stats();
  const auto number = [&](const char* pointer) {
    return stats.value(nlohmann::ordered_json::json_pointer(pointer), 0.0);
  };
  const auto peak_of = [&](const char* key, const char* unit) {
    return si_text(number(fmt::format("/machine_peaks/{}", key).c_str()), unit);
  };
  std::string text = "<dl class=\"figures\">\n";
  const bool whole = files.folder.steps > 0;
  text += figure(whole ? "Step time" : "Time so far", number("/step_time_s"), si_text(number("/step_time_s"), "s", 6),
                 whole ? fmt::format("the last of {} steps", files.folder.steps) : "of a step that was interrupted");
  const double samples = number("/samples_per_s");
  if (samples > 0) {
    text += figure("Throughput", samples, count_text(std::llround(samples)) + " samples/s",
                   number("/batch_per_core") > 0 ? fmt::format("batch {} per core", number("/batch_per_core"))
                                                 : "of the whole slice");
  }
  const double tokens = number("/tokens_per_s");
  if (tokens > 0)
    text += figure("Tokens", tokens, count_text(std::llround(tokens)) + " tokens/s", "of the whole slice");
  text += figure("MXU", number("/utilization/mxu"), base::text::percent(number("/utilization/mxu")),
                 "of " + peak_of("mxu_flops_per_s_per_core", "FLOP/s a core"));
  if (number("/utilization/model") > 0) {
    text += figure("Model FLOPs", number("/utilization/model"), base::text::percent(number("/utilization/model")),
                   "of the MXUs' peak, nothing counted twice");
  }
  text += figure("HBM", number("/utilization/hbm"), base::text::percent(number("/utilization/hbm")),
                 "of " + peak_of("hbm_bytes_per_s_per_core", "B/s a core"));
  text += figure("Busiest ICI link", number("/utilization/ici"), base::text::percent(number("/utilization/ici")),
                 "of " + peak_of("ici_bytes_per_s_per_link", "B/s"));
  const double memory = number("/memory/peak_bytes_per_core"), capacity = number("/memory/capacity_bytes_per_core");
  text += figure("Memory at the peak", memory, si_text(memory, "B"),
                 fmt::format("{} of a core's {}", base::text::percent(capacity > 0 ? memory / capacity : 0),
                             si_text(capacity, "B")));
  text += figure("Work", number("/flops_per_core_step"), si_text(number("/flops_per_core_step"), "FLOP"),
                 "a core and step, as XLA counts");
  text += figure("HBM traffic", number("/hbm_bytes_per_core_step"), si_text(number("/hbm_bytes_per_core_step"), "B"),
                 "a core and step");
  text += "</dl>\n";
  const std::string bound = stats.value("bound_by", std::string());
  if (!bound.empty()) {
    text += fmt::format("<p class=\"lead\">For {} of the step the reported core is bound by <strong>{}</strong>.</p>\n",
                        html_figure(number("/bound_share"), base::text::percent(number("/bound_share"))),
                        html_escaped(bound));
  }
  return text;
}

}  // namespace podsim::report::html
