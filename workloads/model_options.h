// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Hyperparameters of a workload as keys with values given as text: `--set model.layers=64`.
namespace podsim::workloads {

/// "model.layers" -> "64"
using ModelSettings = std::map<std::string, std::string, std::less<>>;

enum class ModelValues { whole, real, text };

/// A key as listings show it.
struct ModelKey {
  std::string name;           ///< "model.layers"
  std::string default_value;  ///< as text that would set it
  std::string values;         ///< "1 to 4096", "on or off"
  std::string help;           ///< one line, with the unit
  ModelValues kind = ModelValues::whole;
  /// Returns the error in a value; "" if it is valid.
  std::function<std::string(const std::string& text)> problem = {};
};

/// Keys bound to fields of a workload's options. The value of a field when its key is added is the default.
class ModelKeys {
 public:
  /// An integer from `least` to `most`, inclusive.
  void add(std::string name, std::int64_t& field, std::int64_t least, std::int64_t most, std::string help);
  /// A number from `least` to `most`, inclusive.
  void add(std::string name, double& field, double least, double most, std::string help);
  /// A text that `problem` finds no error in; `values` says in a few words which these are.
  void add(std::string name, std::string& field, std::string values,
           std::function<std::string(const std::string& text)> problem, std::string help);
  /// on or off
  void add(std::string name, bool& field, std::string help);
  /// One of several names.
  template <typename Enum>
  void add(std::string name, Enum& field,  // NOLINT(performance-unnecessary-value-param): moved from below
           std::vector<std::pair<std::string, Enum>> choices,
           std::string help) {  // NOLINT(performance-unnecessary-value-param)
    std::vector<std::string> names;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      names.push_back(choices[i].first);
      if (choices[i].second == field) chosen = i;
    }
    add_choice(std::move(name), std::move(names), chosen, std::move(help),
               [&field, choices = std::move(choices)](std::size_t i) { field = choices[i].second; });
  }

  std::vector<ModelKey> list() const;
  /// Sets the fields. Throws base::InputError with a diagnostic for every error, which points into "KEY=VALUE" as an
  /// argument of --set: a key that `workload` does not have (suggesting the nearest), or an invalid value.
  void apply(std::string_view workload, const ModelSettings& settings) const;

 private:
  struct Key {
    ModelKey key;
    std::function<void(const std::string& text)> set;  ///< sets the field from a valid text
  };

  void add_choice(std::string name, std::vector<std::string> names, std::size_t chosen, std::string help,
                  std::function<void(std::size_t)> set);

  std::vector<Key> keys_;
};

}  // namespace podsim::workloads
