// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/study/study_results.h"

namespace podsim::workloads {

/// Everything that a study's page lets its reader choose from, as JSON for study.js, in columns:
///
///   variables   [{name, kind, title, unit, factor, categorical, logarithmic, ticks: [[place, label]], behind:
///   [axis]}],
///               in the order of StudyResults::variables()
///   values      of each variable, in the same order: of metrics a number or null per point; else {known: [[text,
///               number]], of: [index into known per point]}
///   ids, done, exit, errors {point: text}
///   words, commands   a command is a list of indices into words
///   machines [[[key, value, evidence, the reference's value]]], machine [index per point]
///   objectives [[variable, 1 to minimise or -1]], reference, best, chart {x, y, family}
std::string study_page_data(const StudyResults& results);

}  // namespace podsim::workloads
