// SPDX-License-Identifier: Apache-2.0
// libsystemc refers to sc_main. The main of these programs is libFuzzer's, and sc_main is never called.
extern "C" int sc_main(int, char**);
extern "C" int sc_main(int, char**) { return 0; }
