// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "report/html/compact_text.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"

namespace podsim::report::html {
namespace {

using Json = nlohmann::ordered_json;

// Limits that keep the page below a megabyte: bytes of texts, bytes of ops, number of spans.
constexpr std::size_t max_texts = 420'000, max_ops = 640'000;
constexpr std::size_t max_spans = 12'000;
constexpr std::size_t op_bytes = 24;  // size of an op without its texts

/// Distinct values in the order in which they were first added.
template <class Value>
class Distinct {
 public:
  int place(const Value& value) {
    const auto [found, is_new] = places_.try_emplace(value, int(values_.size()));
    if (is_new) values_.push_back(value);
    return found->second;
  }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::map<Value, int> places_;
  std::vector<Value> values_;
};

Json texts_json(const CompactTexts& texts) {
  return {{"forms", texts.forms()}, {"form", texts.form_of()}, {"numbers", texts.fillings()}};
}

/// A number, whole ones without a fraction.
Json brief(double number) {
  constexpr double most = 1e15;  // whole numbers up to here are exact
  if (std::abs(number) < most && std::trunc(number) == number) return std::int64_t(number);
  return number;
}

/// The name of an op and an ellipsis.
std::string shortened(const std::string& hlo_text) {
  const std::size_t name = hlo_text.find(" = ");
  return name == std::string::npos ? hlo_text : hlo_text.substr(0, name) + " = …";
}

struct OpData {
  Json json;
  std::size_t shown = 0, shortened = 0;
  double share_left_out = 0;
};

OpData op_data(const RunFiles& files) {
  CompactTexts hlo(CompactTexts::Numbers::names_only), names(CompactTexts::Numbers::all);
  Distinct<std::string> categories, bounds, words;
  Distinct<std::vector<double>> kinds;
  Distinct<double> times;
  std::vector<int> kind, time;
  Json counts = Json::array();
  OpData data;
  for (const RunOp& op : files.ops) {
    if (hlo.bytes() + names.bytes() + op_bytes * kind.size() > max_ops) {
      data.share_left_out += op.share;
      continue;
    }
    const bool whole = hlo.bytes() < max_texts;
    hlo.add(whole ? op.hlo_text : shortened(op.hlo_text));
    data.shortened += whole ? 0 : 1;
    names.add(op.op_name);
    kind.push_back(
        kinds.place({double(categories.place(op.category)), double(bounds.place(op.bound_by)), op.gflops_per_s,
                     op.gibibytes_per_s, op.intensity, op.stalled, double(words.place(op.rematerialization)),
                     double(words.place(op.outside_compilation))}));
    time.push_back(times.place(op.average_us));
    counts.push_back(brief(op.occurrences));
  }
  data.shown = kind.size();
  data.json = {{"categories", categories.values()},
               {"bounds", bounds.values()},
               {"words", words.values()},
               {"kinds", kinds.values()},
               {"kind", kind},
               {"times", times.values()},
               {"time", time},
               {"count", counts},
               {"hlo", texts_json(hlo)},
               {"name", texts_json(names)}};
  return data;
}

std::string note(const OpData& data, std::size_t ops) {
  std::string text;
  if (data.shortened > 0) {
    text += fmt::format("The texts of the {} cheapest ops shown are cut to their names for this page’s size. ",
                        count_text(std::int64_t(data.shortened)));
  }
  if (data.shown < ops) {
    text += fmt::format("{} cheaper ops, {} of the time, are in ops.csv only. ",
                        count_text(std::int64_t(ops - data.shown)), base::text::percent(data.share_left_out, 2));
  }
  return text.empty() ? "" : "<p class=\"note\">" + text + "</p>";
}

/// A span of the timeline, or several neighbours of the same category that were merged.
struct Span {
  int op = -1;  ///< row of the op table; -1 if the table does not have it
  int category = 0;
  std::int64_t begin = 0, end = 0;  ///< in ps from the beginning of the step
  int merged = 1;
};

std::vector<Span> merged(const std::vector<Span>& spans, std::int64_t least) {
  std::vector<Span> result;
  for (const Span& span : spans) {
    const bool joins = !result.empty() && result.back().category == span.category && result.back().end == span.begin &&
                       span.end - span.begin < least && result.back().end - result.back().begin < least;
    if (!joins) {
      result.push_back(span);
      continue;
    }
    result.back().end = span.end;
    result.back().merged += span.merged;
  }
  return result;
}

Json span_json(const std::vector<Span>& spans) {
  std::vector<int> op, category, duration;
  Distinct<std::int64_t> durations;
  Json gaps = Json::array(), together = Json::array();
  std::int64_t at = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    op.push_back(span.op);
    if (span.op < 0) category.push_back(span.category);
    duration.push_back(durations.place(span.end - span.begin));
    if (span.begin != at) gaps.push_back({i, span.begin - at});
    if (span.merged > 1) together.push_back({i, span.merged});
    at = span.end;
  }
  return {{"op", op},     {"category", category}, {"duration", duration}, {"durations", durations.values()},
          {"gaps", gaps}, {"merged", together}};
}

}  // namespace

RunData run_data(const RunFiles& files, const CategoryColors& colors) {
  const OpData ops = op_data(files);
  std::map<std::string, int> rows;
  for (std::size_t i = 0; i < ops.shown; ++i) rows.emplace(files.ops[i].instruction(), int(i));
  Distinct<std::string> categories;
  for (const std::string& name : colors.categories()) categories.place(name);
  std::vector<Span> spans;
  for (const RunSpan& span : files.spans) {
    const auto row = rows.find(span.instruction);
    spans.push_back({row == rows.end() ? -1 : row->second, categories.place(span.category),
                     (span.begin - files.step_begin).value(), (span.end - files.step_begin).value()});
  }
  const std::size_t all = spans.size();
  const std::int64_t step = spans.empty() ? 0 : spans.back().end;
  std::int64_t least = step / 20'000;
  for (; spans.size() > max_spans && least < step; least *= 2) spans = merged(spans, least);
  RunData data;
  if (all > spans.size()) {
    data.timeline_note = fmt::format(
        "<p class=\"note\">{} spans are drawn as {}: neighbours of one category that take less than {} are "
        "merged. All are in timeline.json.</p>",
        count_text(std::int64_t(all)), count_text(std::int64_t(spans.size())), si_text(double(least) / 2 * 1e-12, "s"));
  }
  data.op_note = note(ops, files.ops.size());
  Json palette = Json::array();
  for (const std::string& name : categories.values()) palette.push_back(colors.color(name) + 1);
  const Json json = {{"steps", files.folder.steps},
                     {"ops", ops.json},
                     {"categories", categories.values()},
                     {"palette", palette},
                     {"spans", span_json(spans)}};
  data.json = base::text::json_text(json);
  return data;
}

}  // namespace podsim::report::html
