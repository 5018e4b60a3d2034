// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "workloads/study/study_keys.h"
#include "workloads/study/study_text.h"

namespace podsim::workloads {

/// One value of a key, checked on its own; nothing, and an error in the text's list, for what is none.
std::optional<StudyValue> read_study_value(const StudyKeys& keys, const std::string& key, const toml::node& node,
                                           StudyText& text);

/// The values of an axis: a list, a range, or one value alone. A range is
///
///   { from = 32, to = 256, step = 32 }                          32, 64, ..., 256
///   { from = "100 GB/s", to = "400 GB/s", points = 4 }          100, 200, 300, 400 GB/s
///   { from = 32, to = 256, points = 4, scale = "log" }          32, 64, 128, 256
///
/// Numbers of a range are written with 10 digits, in the unit of `from`; those of a key that takes whole numbers are
/// rounded.
StudyAxis read_study_axis(const StudyKeys& keys, const StudyEntry& entry, StudyText& text);

/// An error for values that axes which move together, equally long, take twice.
void refuse_repeated(const std::vector<const StudyAxis*>& group, StudyText& text);

}  // namespace podsim::workloads
