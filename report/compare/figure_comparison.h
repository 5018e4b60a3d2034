// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Compares figures of two runs from the output of `podsim run --json`. `podsim compare` and `podsim run --compare`
/// share it.
namespace podsim::report::compare {

/// A number that both runs may have.
struct FigureDifference {
  std::string key;             ///< its path in the JSON, "breakdown_s.compute"
  std::string name;            ///< printed name
  std::string unit;            ///< printed unit; may be empty
  double scale = 1;            ///< factor from the key's unit to the printed one
  int decimals = 3;            ///< printed decimals; below 0, six significant digits
  std::optional<double> a, b;  ///< in the unit of the key
  std::optional<double> difference() const;
  /// b / a; nullopt if a is 0 or either is missing.
  std::optional<double> ratio() const;
};

/// The headline figures of two runs in a fixed order, except those that are missing or 0 in both.
std::vector<FigureDifference> compare_figures(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);
/// A table: both values, the difference and the ratio.
std::string figures_text(const std::array<std::string, 2>& labels, const std::vector<FigureDifference>& figures);

/// A list of {key, a, b, difference, ratio}, in the unit of the key; null for missing values.
nlohmann::ordered_json figures_json(const std::vector<FigureDifference>& figures);

/// The collectives of one kind, axes and element type in a step of one run.
struct CollectiveGroup {
  std::int64_t count = 0;
  double bytes = 0;      ///< payloads of one core, all executions
  double time_s = 0;     ///< from the entry of the last core to the exit of the last, all executions
  double exposed_s = 0;  ///< time that the reported core spent in them
  std::vector<std::string> algorithms;
};

struct CollectiveDifference {
  std::string kind;
  std::string axes;          ///< joined axes of the mesh; empty without a mesh
  std::string element_type;  ///< "bf16"
  std::optional<CollectiveGroup> a, b;
  double difference_s() const;  ///< difference of the exposed times
};

/// All collectives of either run, in descending order of the absolute difference of exposed time.
std::vector<CollectiveDifference> compare_collectives(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);
/// A table; empty without collectives.
std::string collectives_text(const std::array<std::string, 2>& labels, const std::vector<CollectiveDifference>& rows);

}  // namespace podsim::report::compare
