// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::hw {

/// Of a transfer, as its memory sees it.
enum class Direction { read, write };

}  // namespace podsim::hw
