// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/tuned_tiles.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "validation/measured/tuned_tiles.h"

namespace podsim::validation::measured {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

std::string signed_share(double modelled, double measured) {
  return base::text::signed_percent(modelled / measured - 1);
}

Json json_of(const TiledKernel& kernel) {
  Json runs = Json::array();
  for (const TiledRun& run : kernel.runs) {
    Json object = {{"bounds", run.bounds}, {"measured_s", run.measured_s}, {"default", run.is_default}};
    object["modelled_s"] = run.modelled_s ? Json(*run.modelled_s) : Json();
    runs.push_back(object);
  }
  Json object = {{"kernel", kernel.name}, {"chosen_s", kernel.chosen_s}, {"best_measured_s", kernel.best_measured_s()}};
  const std::optional<double> tau = kernel.tau();
  object["tau"] = tau ? Json(*tau) : Json();
  const TiledRun* choice = kernel.by_model();
  object["measured_at_our_choice_s"] = choice ? Json(choice->measured_s) : Json();
  object["runs"] = runs;
  return object;
}

}  // namespace

std::string tuned_tiles_text(const std::vector<TiledKernel>& kernels) {
  const Align right = Align::right;
  base::text::TextTable table({Align::left, right, right, Align::left, right, right, right, Align::left, right});
  table.row({"kernel", "runs", "tau", "XLA's tile", "measured", "modelled", "error", "our tile", "over the best"});
  for (const TiledKernel& kernel : kernels) {
    const std::optional<double> tau = kernel.tau();
    std::vector<std::string> row = {kernel.name, std::to_string(kernel.runs.size()),
                                    tau ? fmt::format("{:.2f}", *tau) : ""};
    if (const TiledRun* run = kernel.by_default()) {
      row.insert(row.end(), {run->bounds, microseconds(run->measured_s),
                             run->modelled_s ? microseconds(*run->modelled_s) : "does not fit",
                             run->modelled_s ? signed_share(*run->modelled_s, run->measured_s) : ""});
    } else {
      row.insert(row.end(), {"", "", "", ""});
    }
    if (const TiledRun* run = kernel.by_model()) {
      row.insert(row.end(), {run->bounds, signed_share(run->measured_s, kernel.best_measured_s())});
    }
    table.row(row);
  }
  return table.text();
}

std::string tuned_tiles_json(const std::vector<TiledKernel>& kernels) {
  Json all = Json::array();
  for (const TiledKernel& kernel : kernels) all.push_back(json_of(kernel));
  return base::text::json_text(Json{{"command", "tiles"}, {"kernels", all}});
}

std::string tuned_tiles_csv(const std::vector<TiledKernel>& kernels) {
  std::string text = "kernel,bounds,default,measured_us,modelled_us\n";
  for (const TiledKernel& kernel : kernels) {
    for (const TiledRun& run : kernel.runs) {
      text += fmt::format("{},{},{},{:.3f},{}\n", base::text::csv_field(kernel.name), base::text::csv_field(run.bounds),
                          run.is_default ? 1 : 0, run.measured_s * 1e6,
                          run.modelled_s ? fmt::format("{:.3f}", *run.modelled_s * 1e6) : "");
    }
  }
  return text;
}

}  // namespace podsim::validation::measured
