// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::workloads::machines {

/// Whether a key of --set is of a workload ("model.layers", "decode.cached") and not of a machine.
inline bool is_model_setting(std::string_view key) { return key.starts_with("model.") || key.starts_with("decode."); }

}  // namespace podsim::workloads::machines
