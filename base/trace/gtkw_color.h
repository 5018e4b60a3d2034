// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::trace {

/// Colours of GTKWave's traces, with the numbers of its save files.
enum class GtkwColor { normal, red, orange, yellow, green, blue, indigo, violet };

}  // namespace podsim::base::trace
