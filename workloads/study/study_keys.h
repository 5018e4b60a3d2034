// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "workloads/study/study.h"
#include "workloads/study/study_flags.h"
#include "workloads/workload.h"

namespace podsim::workloads {

/// The keys that points of one study may set: flags of its command, values of its machine, keys of its workloads.
class StudyKeys {
 public:
  /// `machine` is the schema of the machine's keys.
  StudyKeys(std::string command, base::Config machine, const std::vector<std::string>& workloads);

  const std::string& command() const { return command_; }
  const base::Config& machine() const { return machine_; }

  const StudyFlag* flag(std::string_view key) const { return find_flag(command_, key); }
  const base::ConfigEntry* machine_entry(std::string_view key) const;  ///< nullptr: not a key of the machine
  const ModelKey* model_key(std::string_view key) const;  ///< of the first workload that has it; nullptr: of none
  bool known(std::string_view key) const;

  /// In SI units: "B/s", "s", ...; "" for plain numbers and texts.
  std::string unit(std::string_view key) const;
  /// Whether a value of the key can be given as a number alone or with a unit.
  bool is_number(std::string_view key) const;
  bool is_whole(std::string_view key) const;
  /// A number in SI units as a value of the key. base::InputError, without a place, when the key takes none or not
  /// this one.
  StudyValue value(const std::string& key, double number) const;

  /// Why `key` is none, in words for an error.
  std::string unknown(std::string_view key) const;
  std::string hint(std::string_view key) const;

 private:
  std::string command_;
  base::Config machine_;
  std::vector<ModelKey> model_;
};

/// "" for no unit.
std::string si_unit(base::Dimensional::Kind kind);

/// `number` without digits that only binary fractions have: 10 significant ones; whole numbers as they are.
std::string number_text(double number);

}  // namespace podsim::workloads
