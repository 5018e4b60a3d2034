// SPDX-License-Identifier: Apache-2.0
#include "app/podsim.h"
#include "base/host/standard_descriptors.h"
#include "base/host/standard_output.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  podsim::base::host::open_standard_descriptors();
  podsim::base::host::survive_broken_pipes();
  return podsim::base::host::end_of_output(podsim::app::run_podsim(argc, argv));
}
