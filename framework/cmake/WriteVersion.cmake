# Run at every build: writes version.cc anew where the commit has changed.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=40 --exclude=*
  OUTPUT_VARIABLE REFRAN_COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${SOURCE_DIR}/framework/runner/base/version.cc.in ${OUTPUT} @ONLY)
