// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/context.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sys/syscall.h>
#include <unistd.h>

// The stack of a SystemC process that ends with its context is unmapped while calls stand on it, and the sanitizer
// keeps their red zones. The next stack that is mapped there would run into them.
extern "C" int munmap(void* begin, std::size_t bytes) {
  __asan_unpoison_memory_region(begin, bytes);
  return int(syscall(SYS_munmap, begin, bytes));
}

// SystemC takes the records of pending notifications from pools, and forgets those that are still pending when their
// context ends: 1 KiB for 64 of them, which the leak sanitizer finds.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
extern "C" const char* __lsan_default_suppressions() { return "leak:sc_core::sc_event_timed::allocate"; }
#endif

namespace podsim::base::systemc {
namespace {

void enter(sc_core::sc_simcontext* context) {
  sc_core::sc_curr_simcontext = context;
  sc_core::sc_default_global_context = context;
}

}  // namespace

Context::Context() : own_(new sc_core::sc_simcontext) {}

Context::~Context() { delete own_; }

InContext::InContext(Context& context) : before_(sc_core::sc_get_curr_simcontext()) { enter(context.own_); }

InContext::~InContext() { enter(before_); }

}  // namespace podsim::base::systemc
