// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "studies/store/study_results.h"

namespace podsim::studies::charts {

/// The data of a study's page, as JSON in columns. The scripts study.js and study_chart.js draw and list from them what
/// a reader selects.
///
///   variables   [{name, kind, title, unit, factor, categorical, logarithmic, ticks: [[coordinate, label]],
///               behind: [axis]}], in the order of StudyResults::variables()
///   values      of each variable, in the same order: for metrics a number or null per point; else {known: [[text,
///               number]], of: [index into known per point]}
///   ids         [id per point]
///   position    [position per point], or null if no point is missing and a point's position is its index
///   failed      {points: [point], exit: [exit code], errors: {forms, form, numbers}}: the messages as CompactTexts
///   words, commands   the command lines: add_commands in study_page_data.cpp
///   machines    [[[key, value, evidence, the reference's value]]]
///   machine     [index into machines, or null, per point]
///   reference   index of the reference point, or null
///   objectives  [[variable, 1 to minimise or -1]]
///   chart       {x, y, family, free}: the first chart; missing without metrics or axes
std::string study_page_data(const store::StudyResults& results);

}  // namespace podsim::studies::charts
