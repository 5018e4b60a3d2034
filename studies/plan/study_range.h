// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "studies/plan/study_keys.h"
#include "studies/plan/study_text.h"

namespace podsim::studies::plan {

/// The values of a range, in the syntax of study_values.h. Throws base::InputError, with or without a location, if the
/// range is malformed or its numbers are not values of the key.
std::vector<StudyValue> read_study_range(const StudyKeys& keys, const std::string& key, const toml::table& range,
                                         StudyText& text);

}  // namespace podsim::studies::plan
