// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::app {

/// What stands before the commands in the manual, and behind them, in the macros of man(7).
extern const char* const manual_introduction;
extern const char* const manual_conclusion;

}  // namespace podsim::app
