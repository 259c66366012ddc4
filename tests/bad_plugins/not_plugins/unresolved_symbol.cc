// A library that needs a function nobody has.
int nobody_has_this();
extern "C" __attribute__((visibility("default"))) int the_answer();
int the_answer() { return nobody_has_this(); }
