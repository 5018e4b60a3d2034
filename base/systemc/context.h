// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace podsim::base::systemc {

/// A simulation of SystemC. A process may have several, one after another or in turns. Modules belong to the context
/// that is entered while they are made, and are destroyed before it, while it is entered.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  friend class InContext;
  sc_core::sc_simcontext* own_;
};

/// Enters a context for the lifetime of this object, after which the one before is entered again.
class InContext {
 public:
  explicit InContext(Context& context);
  ~InContext();
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  sc_core::sc_simcontext* before_;
};

}  // namespace podsim::base::systemc
