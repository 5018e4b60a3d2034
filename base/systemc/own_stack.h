// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::systemc {

/// To be called after sc_start() returns if processes are threads. SystemC announces to the address sanitizer that it
/// switches to a thread's stack, but not where the stack is to which it returns, so that exceptions thrown later look
/// like an overflow. Does nothing in other builds.
void back_on_own_stack();

}  // namespace podsim::base::systemc
