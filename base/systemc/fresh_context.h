// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace podsim::base::systemc {

/// Starts another simulation in this process. Old contexts stay reachable: SystemC does not allow deleting the first,
/// and a leak check should find only real leaks.
void fresh_context();

/// A separate simulation for the lifetime of this object, after which the previous one continues. Modules made in the
/// meantime must be destroyed first.
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

}  // namespace podsim::base::systemc
