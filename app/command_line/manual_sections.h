// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::app::command_line {

/// The manual's sections before and after the commands, in the macros of man(7).
extern const char* const manual_introduction;
extern const char* const manual_conclusion;

}  // namespace podsim::app::command_line
