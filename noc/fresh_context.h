// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace podsim::noc {

/// Starts another simulation in this process. Old contexts stay reachable: the kernel does not allow deleting the
/// first, and a leak check is to find only real leaks.
void fresh_context();

/// A simulation of its own for as long as this lives; then the one before goes on. Modules made meanwhile go first.
class FreshContext {
 public:
  FreshContext();
  ~FreshContext();
  FreshContext(const FreshContext&) = delete;
  FreshContext& operator=(const FreshContext&) = delete;

 private:
  sc_core::sc_simcontext* before_;
  sc_core::sc_simcontext* own_;
};

}  // namespace podsim::noc
