// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"

namespace podsim::sw {

/// Whether an op_name is a scope's or of something in it: "optimizer/layer0" of "optimizer".
bool is_within(std::string_view op_name, std::string_view scope);

/// What the ops of a scope take one after the other, by the tile level's recurrence; what is in a loop counts once.
/// Looked up in `cache` where there is one.
base::Time time_under(const Program& program, const hw::Machine& machine, std::string_view scope,
                      OpCache* cache = nullptr);

}  // namespace podsim::sw
