// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Figures of two runs side by side, out of what `podsim run --json` prints; shared by `podsim compare` and
/// `podsim run --compare`.
namespace podsim::sw {

/// A number that both runs may have.
struct FigureDifference {
  std::string key;             ///< where it stands, "breakdown_s.compute"
  std::string name;            ///< as people call it
  std::string unit;            ///< in which it is printed; empty: none
  double scale = 1;            ///< from the key's unit to it
  int decimals = 3;            ///< below 0: six digits, wherever the point is
  std::optional<double> a, b;  ///< in the unit of the key
  std::optional<double> difference() const;
  /// b over a; nothing where a is 0 or either is missing.
  std::optional<double> ratio() const;
};

/// The headline figures of two runs in a fixed order, without those that are missing or 0 in both.
std::vector<FigureDifference> compare_figures(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);
/// A table: both values, the difference and the ratio.
std::string figures_text(const std::array<std::string, 2>& labels, const std::vector<FigureDifference>& figures);

/// A list of {key, a, b, difference, ratio}, in the unit of the key; null where there is none.
nlohmann::ordered_json figures_json(const std::vector<FigureDifference>& figures);

/// The collectives of one kind, axes and element type in a step of one run.
struct CollectiveGroup {
  std::int64_t count = 0;
  double bytes = 0;      ///< payloads of one core, all executions
  double time_s = 0;     ///< from the last core in to the last out, all executions
  double exposed_s = 0;  ///< that the reported core spent in them
  std::vector<std::string> algorithms;
};

struct CollectiveDifference {
  std::string kind;
  std::string axes;          ///< of the mesh; empty without one
  std::string element_type;  ///< "bf16"
  std::optional<CollectiveGroup> a, b;
  double difference_s() const;  ///< of the exposed times
};

/// Largest difference of exposed time first, either way.
std::vector<CollectiveDifference> compare_collectives(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);
/// A table; empty without collectives.
std::string collectives_text(const std::array<std::string, 2>& labels, const std::vector<CollectiveDifference>& rows);

}  // namespace podsim::sw
