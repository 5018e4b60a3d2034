// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::noc {

/// To be called when sc_start() has returned and processes are threads. SystemC tells the address sanitizer when it
/// goes to a thread's stack, but not where the stack is that it comes back to, and what is thrown from then on looks
/// like an overflow. Does nothing in other builds.
void back_on_own_stack();

}  // namespace podsim::noc
