// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/published/published_steps.h"

/// Further published figures of steps, v3_points.csv: rates, hours and utilisations of many sources, in rows of
/// `podsim validate steps`.
namespace podsim::validation::measured::published {

/// Reads v3_points.csv, with the columns source, kind, chip, configuration, value, unit and note. Rows of whole steps
/// (the kinds that begin with "training" or "inference") are returned, with the time of a step that follows from the
/// figure:
///   - an epoch of N images in B at a time has N / B steps, rounded up;
///   - a model FLOP utilisation u is that of model_flops() at 61.5 TFLOP/s a core, the published peak: the step takes
///     model FLOPs / (u cores 61.5e12);
///   - other units than ms, s, and % MFU state no time of a step, and such a row has a reason instead of a command.
/// A bad field is an InputError with its location.
std::vector<PublishedStep> published_points(const std::string& file, std::string_view text);

}  // namespace podsim::validation::measured::published
