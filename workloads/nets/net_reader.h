// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "workloads/model_options.h"
#include "workloads/nets/net.h"

namespace podsim::workloads::nets {

/// Reads a page of layers; messages name it `file`. `settings` replace keys of [model], "model.NAME". Throws
/// base::InputError with the locations of all errors of the text, or of a setting that is no key of it.
Net read_net(std::string_view file, std::string_view text, const ModelSettings& settings = {});

}  // namespace podsim::workloads::nets
