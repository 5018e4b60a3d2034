// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

namespace podsim::noc {

/// Starts another simulation in this process. Old contexts stay reachable: the kernel does not allow deleting the
/// first, and a leak check is to find only real leaks.
inline void fresh_context() {
  static auto* earlier = new std::vector<sc_core::sc_simcontext*>;  // never destroyed: the leak check runs last
  earlier->push_back(sc_core::sc_get_curr_simcontext());
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
  sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

}  // namespace podsim::noc
