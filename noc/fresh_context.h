// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace podsim::noc {

/// Starts another simulation in this process. Old contexts stay reachable: the kernel does not allow deleting the
/// first, and a leak check is to find only real leaks.
void fresh_context();

/// A simulation of its own while this lives; then the one before goes on.
class FreshContext {
 public:
  FreshContext() : before_(sc_core::sc_get_curr_simcontext()) { fresh_context(); }
  ~FreshContext();
  FreshContext(const FreshContext&) = delete;
  FreshContext& operator=(const FreshContext&) = delete;

 private:
  sc_core::sc_simcontext* before_;
};

}  // namespace podsim::noc
