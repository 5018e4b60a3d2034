// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hlo/text/module.h"
#include "workloads/workload.h"

/// A workload as HLO text. What its program does not tell is in the header, in attributes of the front end that other
/// readers of HLO pass over:
///
///   HloModule resnet50, replica_count=32, frontend_attributes={podsim.samples="4096",podsim.predictions="add.7",...}
namespace podsim::workloads {

/// `cores` share the samples, and are the replicas of a program of one core.
std::string text_of_workload(Workload workload, std::int64_t cores);

/// The workload out of such a text, whose graph is `module`; std::nullopt for any other text. Throws base::InputError
/// with the location of an attribute that is damaged.
std::optional<Workload> workload_of_text(const hlo::text::Module& text, hlo::Module module);

}  // namespace podsim::workloads
