// SPDX-License-Identifier: Apache-2.0
#include "report/compare/figure_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text/text_table.h"

namespace podsim::report::compare {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

constexpr double gibi = double(std::int64_t(1) << 30);

/// A compared figure and its format.
struct Figure {
  const char* key;
  const char* name;
  const char* unit;
  double scale;
  int decimals;
};

constexpr std::array figures{
    Figure{"step_time_s", "step time", "ms", 1e3, 3},
    Figure{"samples_per_s", "samples/s", "", 1, 0},
    Figure{"tokens_per_s", "tokens/s", "", 1, 0},
    Figure{"breakdown_s.compute", "compute", "ms", 1e3, 3},
    Figure{"compute_parts_s.weight_update", "  weight update", "ms", 1e3, 3},
    Figure{"compute_parts_s.rematerialised", "  computed once more", "ms", 1e3, 3},
    Figure{"breakdown_s.collective", "collectives", "ms", 1e3, 3},
    Figure{"breakdown_s.infeed", "infeed", "ms", 1e3, 3},
    Figure{"breakdown_s.other", "other", "ms", 1e3, 3},
    Figure{"utilization.mxu", "MXU utilisation", "%", 100, 1},
    Figure{"utilization.hbm", "HBM utilisation", "%", 100, 1},
    Figure{"utilization.ici", "ICI utilisation", "%", 100, 1},
    Figure{"utilization.model", "of the peak by the model's FLOPs", "%", 100, 1},
    Figure{"energy.chip_w", "W a chip", "W", 1, 1},
    Figure{"energy.step_j", "energy of a step", "J", 1, 3},
    Figure{"energy.sample_j", "energy of a sample", "mJ", 1e3, 3},
    Figure{"flops_per_core_step", "work per core", "TFLOP", 1e-12, 3},
    Figure{"hbm_bytes_per_core_step", "through HBM per core", "GB", 1e-9, 3},
    Figure{"memory.peak_bytes_per_core", "memory at the peak", "GiB", 1 / gibi, 3},
    Figure{"memory.argument_bytes_per_core", "arguments", "GiB", 1 / gibi, 3},
};

std::optional<double> number_at(const Json& json, const std::string& key) {
  const Json* at = &json;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const auto found = at->is_object() ? at->find(key.substr(begin, end - begin)) : at->end();
    if (!at->is_object() || found == at->end()) return std::nullopt;
    at = &*found;
    begin = end + 1;
  }
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::string number_text(double value, const FigureDifference& figure, bool sign) {
  if (figure.decimals < 0) return sign ? fmt::format("{:+.6g}", value) : fmt::format("{:.6g}", value);
  if (std::abs(value) < 0.5 * std::pow(10, -figure.decimals)) value = 0;  // not "-0.000"
  return sign ? fmt::format("{:+.{}f}", value, figure.decimals) : fmt::format("{:.{}f}", value, figure.decimals);
}

std::string printed(const std::optional<double>& value, const FigureDifference& figure, bool sign) {
  if (!value) return "-";
  return number_text(*value * figure.scale, figure, sign) + (figure.unit.empty() ? "" : " " + figure.unit);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json figure_json(const FigureDifference& figure) {
  return {{"key", figure.key},
          {"a", or_null(figure.a)},
          {"b", or_null(figure.b)},
          {"difference", or_null(figure.difference())},
          {"ratio", or_null(figure.ratio())}};
}

using CollectiveKey = std::tuple<std::string, std::string, std::string>;  // kind, axes, element type

std::map<CollectiveKey, CollectiveGroup> collectives_of(const Json& run) {
  std::map<CollectiveKey, CollectiveGroup> groups;
  for (const Json& collective : run.value("collectives", Json::array())) {
    CollectiveGroup& group =
        groups[{collective.value("kind", ""), collective.value("axes", ""), collective.value("dtype", "")}];
    const std::int64_t count = collective.value("count", std::int64_t(1));
    group.count += count;
    group.bytes += collective.value("bytes", 0.0) * double(count);
    group.time_s += collective.value("time_s", 0.0);
    group.exposed_s += collective.value("exposed_s", 0.0);
    const std::string algorithm = collective.value("algorithm", "");
    if (std::ranges::find(group.algorithms, algorithm) == group.algorithms.end()) group.algorithms.push_back(algorithm);
  }
  return groups;
}

std::string algorithms(const std::optional<CollectiveGroup>& group) {
  return group ? fmt::format("{}", fmt::join(group->algorithms, "; ")) : "none";
}

std::string name_of(const CollectiveDifference& row) {
  return fmt::format("  {}{}{}, {}", row.kind, row.axes.empty() ? "" : " along ", row.axes, row.element_type);
}

}  // namespace

std::optional<double> FigureDifference::difference() const { return a && b ? std::optional(*b - *a) : std::nullopt; }

std::optional<double> FigureDifference::ratio() const {
  return a && b && *a != 0 ? std::optional(*b / *a) : std::nullopt;
}

std::vector<FigureDifference> compare_figures(const Json& a, const Json& b) {
  std::vector<FigureDifference> rows;
  for (const Figure& figure : figures) {
    FigureDifference row{figure.key,
                         figure.name,
                         figure.unit,
                         figure.scale,
                         figure.decimals,
                         number_at(a, figure.key),
                         number_at(b, figure.key)};
    if (row.a.value_or(0) != 0 || row.b.value_or(0) != 0) rows.push_back(std::move(row));
  }
  return rows;
}

std::string figures_text(const std::array<std::string, 2>& labels, const std::vector<FigureDifference>& figures) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"", labels[0], labels[1], "difference", "ratio"});
  for (const FigureDifference& figure : figures) {
    const bool equal = figure.a == figure.b;
    table.row({figure.name, printed(figure.a, figure, false), printed(figure.b, figure, false),
               equal ? "" : printed(figure.difference(), figure, true),
               equal || !figure.ratio() ? "" : fmt::format("{:.3f}", *figure.ratio())});
  }
  return table.text();
}

Json figures_json(const std::vector<FigureDifference>& figures) {
  Json list = Json::array();
  for (const FigureDifference& figure : figures) list.push_back(figure_json(figure));
  return list;
}

double CollectiveDifference::difference_s() const { return (b ? b->exposed_s : 0) - (a ? a->exposed_s : 0); }

std::vector<CollectiveDifference> compare_collectives(const Json& a, const Json& b) {
  std::map<CollectiveKey, CollectiveDifference> rows;
  for (std::size_t side = 0; side < 2; ++side) {
    for (auto& [key, group] : collectives_of(side == 0 ? a : b)) {
      const auto& [kind, axes, element_type] = key;
      CollectiveDifference& row =
          rows.try_emplace(key, CollectiveDifference{kind, axes, element_type, {}, {}}).first->second;
      (side == 0 ? row.a : row.b) = std::move(group);
    }
  }
  std::vector<CollectiveDifference> order;
  for (auto& [key, row] : rows) order.push_back(std::move(row));
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const CollectiveDifference& row) { return std::abs(row.difference_s()); });
  return order;
}

std::string collectives_text(const std::array<std::string, 2>& labels, const std::vector<CollectiveDifference>& rows) {
  if (rows.empty()) return "";
  base::text::TextTable table(
      {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.row(
      {"  exposed", labels[0], labels[1], "difference", "payload " + labels[0], "payload " + labels[1], "algorithm"});
  const auto cell = [](const std::optional<CollectiveGroup>& group, double CollectiveGroup::*value, double scale,
                       const char* unit) {
    return group ? fmt::format("{:.3f} {}", *group.*value * scale, unit) : std::string("-");
  };
  for (const CollectiveDifference& row : rows) {
    const std::string of_a = algorithms(row.a), of_b = algorithms(row.b);
    table.row({name_of(row), cell(row.a, &CollectiveGroup::exposed_s, 1e3, "ms"),
               cell(row.b, &CollectiveGroup::exposed_s, 1e3, "ms"),
               row.difference_s() == 0 ? "" : fmt::format("{:+.3f} ms", row.difference_s() * 1e3),
               cell(row.a, &CollectiveGroup::bytes, 1e-6, "MB"), cell(row.b, &CollectiveGroup::bytes, 1e-6, "MB"),
               of_a == of_b ? of_a : of_a + " -> " + of_b});
  }
  return table.text();
}

}  // namespace podsim::report::compare
