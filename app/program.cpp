// SPDX-License-Identifier: Apache-2.0
#include "app/program.h"

#include "app/podsim.h"
#include "base/host/standard_descriptors.h"
#include "base/host/standard_output.h"

// libsystemc contains a main, which calls sc_main. A program's own main comes first in the link, so sc_main is never
// called. It is here, so that programs which call run_program need none.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim::app {

int run_program(int argc, char** argv) {
  base::host::open_standard_descriptors();
  base::host::survive_broken_pipes();
  return base::host::end_of_output(run_podsim(argc, argv));
}

}  // namespace podsim::app
