// A shared library that is no plugin.
extern "C" __attribute__((visibility("default"))) int the_answer();
int the_answer() { return 42; }
