// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::hw {

/// Direction of a transfer, as seen by its memory.
enum class Direction { read, write };

}  // namespace podsim::hw
