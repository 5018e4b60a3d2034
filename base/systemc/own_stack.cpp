// SPDX-License-Identifier: Apache-2.0
#include "base/systemc/own_stack.h"

#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#endif

namespace podsim::base::systemc {

void back_on_own_stack() {
#ifdef __SANITIZE_ADDRESS__
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, begin, bytes);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

}  // namespace podsim::base::systemc
