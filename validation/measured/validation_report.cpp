// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/validation.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "validation/measured/validation.h"

namespace podsim::validation::measured {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

std::string tau_text(const std::optional<double>& tau) { return tau ? fmt::format("{:.2f}", *tau) : ""; }

Json agreement_json(const Agreement& agreement) {
  Json object = {{"points", agreement.points},
                 {"median", agreement.median},
                 {"mean", agreement.mean},
                 {"percentile_90", agreement.percentile_90},
                 {"bias", agreement.bias}};
  object["tau"] = agreement.tau ? Json(*agreement.tau) : Json();
  return object;
}

}  // namespace

std::string validation_text(const Validation& validation) {
  const Align right = Align::right;
  base::text::TextTable table({Align::left, Align::left, right, right, right, right, right, right, right, right});
  table.row({"measured", "machine", "points", "median", "mean", "90 %", "bias", "tau", "roofline", "its tau"});
  const auto add_row = [&](const std::string& name, const PointClass& measured, const Agreement& ours) {
    const Agreement roofline = roofline_agreement(measured);
    table.row({name, measured.machine, std::to_string(ours.points), base::text::percent(ours.median),
               base::text::percent(ours.mean), base::text::percent(ours.percentile_90),
               base::text::signed_percent(ours.bias), tau_text(ours.tau), base::text::percent(roofline.median),
               tau_text(roofline.tau)});
  };
  std::string notes;
  for (const PointClass& measured : validation.classes) {
    const Agreement ours = agreement(measured);
    add_row(measured.name, measured, ours);
    if (const auto core = core_agreement(measured)) add_row("  without the host's tracing", measured, *core);
    if (const std::size_t left_out = measured.points.size() - ours.points; left_out > 0) {
      notes += fmt::format("{}: {} of {} points are not modelled\n", measured.name, left_out, measured.points.size());
    }
  }
  for (const std::string& file : validation.missing) notes += fmt::format("{} is not in the folder\n", file);
  return table.text() + (notes.empty() ? "" : "\n" + notes);
}

std::string validation_json(const Validation& validation) {
  Json classes = Json::array();
  for (const PointClass& measured : validation.classes) {
    Json entry = {{"class", measured.name},
                  {"machine", measured.machine},
                  {"file", measured.file},
                  {"points", measured.points.size()},
                  {"podsim", agreement_json(agreement(measured))}};
    if (const auto core = core_agreement(measured)) entry["core_alone"] = agreement_json(*core);
    entry["roofline"] = agreement_json(roofline_agreement(measured));
    classes.push_back(std::move(entry));
  }
  const Json object = {{"folder", validation.folder},
                       {"classes", classes},
                       {"missing", validation.missing},
                       {"wall_s", validation.wall_s}};
  return base::text::json_text(object);
}

std::string validation_csv(const Validation& validation) {
  std::string text = "class,machine,point,measured,modelled,roofline,not_modelled\n";
  for (const PointClass& measured : validation.classes) {
    for (const Point& point : measured.points) {
      text += fmt::format("{},{},{},{:.9g},{},{:.9g},{}\n", base::text::csv_field(measured.name), measured.machine,
                          base::text::csv_field(point.name), point.measured,
                          point.modelled ? fmt::format("{:.9g}", *point.modelled) : "", point.roofline,
                          base::text::csv_field(point.reason));
    }
  }
  return text;
}

}  // namespace podsim::validation::measured
