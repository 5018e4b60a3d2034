// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

// libsystemc brings its own main, which calls sc_main; this program's main comes first and sc_main is never called.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) { return podsim::app::run_command_line(argc, argv); }
