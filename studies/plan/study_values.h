// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "studies/plan/study_keys.h"
#include "studies/plan/study_text.h"

namespace podsim::studies::plan {

/// One value of a key, checked on its own; std::nullopt, with an error in the text's list, if it is invalid.
std::optional<StudyValue> read_study_value(const StudyKeys& keys, const std::string& key, const toml::node& node,
                                           StudyText& text);

/// The values of an axis, written as a list, a range or one value alone. A range is
///
///   { from = 32, to = 256, step = 32 }                          32, 64, ..., 256
///   { from = "100 GB/s", to = "400 GB/s", points = 4 }          100, 200, 300, 400 GB/s
///   { from = 32, to = 256, points = 4, scale = "log" }          32, 64, 128, 256
///
/// The values are written with up to 10 digits, in the unit of `from`; values of a key that takes whole numbers are
/// rounded.
StudyAxis read_study_axis(const StudyKeys& keys, const StudyEntry& entry, StudyText& text);

/// Adds an error for each combination of values that a group of axes, all of the same length, takes twice.
void refuse_repeated(const std::vector<const StudyAxis*>& group, StudyText& text);

}  // namespace podsim::studies::plan
