// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/systemc/own_stack.h"

// libsystemc brings its own main, which calls sc_main; this program's main comes first and sc_main is never called.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  podsim::base::systemc::back_on_own_stack();  // the leak sanitizer reads it
  return code;
}
