// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/fresh_context.h"

#include <vector>

namespace podsim::base::systemc {

namespace {

void enter(sc_core::sc_simcontext* context) {
  sc_core::sc_curr_simcontext = context;
  sc_core::sc_default_global_context = context;
}

}  // namespace

void fresh_context() {
  static auto* earlier = new std::vector<sc_core::sc_simcontext*>;  // never destroyed: the leak check runs last
  earlier->push_back(sc_core::sc_get_curr_simcontext());
  enter(new sc_core::sc_simcontext);
}

FreshContext::FreshContext() : before_(sc_core::sc_get_curr_simcontext()), own_(new sc_core::sc_simcontext) {
  enter(own_);
}

FreshContext::~FreshContext() {
  enter(before_);
  delete own_;
}

}  // namespace podsim::base::systemc
