// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "workloads/study/study.h"

namespace podsim::workloads {

/// Configurations of the machines that points name, each read once.
class MachineCache {
 public:
  /// `folder` is where machine files are looked for. base::InputError as machine_config().
  explicit MachineCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const base::Config& get(const std::string& name);

 private:
  std::filesystem::path folder_;
  std::map<std::string, base::Config> machines_;
};

bool is_built_in_machine(const std::string& name);

/// Folder of the study's file, in which the files that it names are looked for.
std::filesystem::path study_folder(const Study& study);
/// Where a file is that the study names.
std::filesystem::path study_file(const std::filesystem::path& folder, const std::string& written);

/// What is set at one point: axes before derived values before the base.
class PointSettings {
 public:
  PointSettings(const Study& study, std::span<const StudyValue> axes, std::span<const StudyValue> derived)
      : study_(study), axes_(axes), derived_(derived) {}

  /// nullptr where the point says nothing of the key.
  const StudyValue* find(std::string_view key) const;
  /// The text of a key; `otherwise` where the point says nothing of it.
  std::string text(std::string_view key, std::string_view otherwise = "") const;
  std::string machine() const { return text("machine", "tpu-v3"); }
  /// Chips per dimension; empty where they are left to a file or mesh.
  std::vector<std::int64_t> slice() const;

 private:
  const Study& study_;
  std::span<const StudyValue> axes_, derived_;
};

/// The value of a machine's key in SI units; nothing where it is no number.
std::optional<double> number_of(const base::ConfigEntry& entry);

/// The number that a name stands for in expressions at a point: what the point sets, chips, cores, slice_x, slice_y,
/// slice_z, the machine's values and the defaults of the workload's keys. Nothing when it stands for none.
std::optional<double> point_variable(const PointSettings& point, const std::string& name, MachineCache& machines);

/// Names for a suggestion: all that point_variable() knows at some point of the study.
std::vector<std::string> variable_names(const Study& study, const base::Config& machine);

}  // namespace podsim::workloads
