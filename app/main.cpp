// SPDX-License-Identifier: Apache-2.0
#include "app/podsim.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) { return podsim::app::run_podsim(argc, argv); }
