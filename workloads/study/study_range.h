// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/study/study_keys.h"
#include "workloads/study/study_text.h"

namespace podsim::workloads {

/// The values of a range (study_values.h). base::InputError, without a place or with one, for what is no range of the
/// key's values.
std::vector<StudyValue> read_study_range(const StudyKeys& keys, const std::string& key, const toml::table& range,
                                         StudyText& text);

}  // namespace podsim::workloads
