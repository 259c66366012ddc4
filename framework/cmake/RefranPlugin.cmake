# The one call a plugin author writes, in this project or outside it:
#
#   refran_add_plugin(<name> SOURCES <files> [LIBS <targets>] [PART_SOURCES <files> [PART_LIBS <targets>]])
#
# Builds <name>.so from its sources and, next to it, <name>.json: what `refran list` and `describe` read instead of opening
# the library. PART_SOURCES build <name>_part.so, a second library that is opened on first use only, for what needs torch.
function(refran_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;PART_SOURCES;PART_LIBS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "refran_add_plugin(${name}): usage: SOURCES <files> [LIBS <targets>] [PART_SOURCES <files>]")
  endif()
  if(NOT DEFINED REFRAN_PLUGIN_OUTPUT_DIRECTORY)
    set(REFRAN_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()

  _refran_module(${name} "${arg_SOURCES}" "${arg_LIBS}")
  set(libraries $<TARGET_FILE:${name}>)
  if(arg_PART_SOURCES)
    _refran_module(${name}_part "${arg_PART_SOURCES}" "${arg_PART_LIBS}")
    list(APPEND libraries $<TARGET_FILE:${name}_part>)
  endif()

  set(sidecar ${REFRAN_PLUGIN_OUTPUT_DIRECTORY}/${name}.json)
  add_custom_command(
    OUTPUT ${sidecar}
    COMMAND refran::refran sidecar $<TARGET_FILE:${name}>
    DEPENDS refran::refran ${libraries}
    COMMENT "Describing plugin ${name}")
  add_custom_target(${name}_sidecar ALL DEPENDS ${sidecar})
  _refran_is_installed(is_installed)
  if(is_installed)
    set_property(GLOBAL APPEND PROPERTY REFRAN_SIDECARS ${sidecar})
  endif()
endfunction()

function(_refran_module name sources libs)
  add_library(${name} MODULE ${sources})
  set_target_properties(
    ${name}
    PROPERTIES PREFIX ""
               CXX_STANDARD 20
               CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               LIBRARY_OUTPUT_DIRECTORY ${REFRAN_PLUGIN_OUTPUT_DIRECTORY})
  target_link_libraries(${name} PRIVATE refran::sdk ${libs})
  # An unresolved symbol is found by the linker, not by the run; the build-id is what results remember the code by.
  target_link_options(${name} PRIVATE LINKER:--no-undefined LINKER:--build-id=sha1)
  if(REFRAN_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(${name} PRIVATE LINKER:-z,undefs) # clang leaves the sanitizer's own symbols to the program
  endif()
  if(TARGET refran_build)
    target_link_libraries(${name} PRIVATE refran_build)
  endif()
  _refran_is_installed(is_installed)
  if(is_installed)
    set_property(GLOBAL APPEND PROPERTY REFRAN_PLUGINS ${name})
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
  endif()
endfunction()

# Plugins of refran's own tree are installed with it, but for those of the tests, which set REFRAN_PLUGIN_INSTALL to OFF.
function(_refran_is_installed result)
  if(TARGET refran_build AND NOT (DEFINED REFRAN_PLUGIN_INSTALL AND NOT REFRAN_PLUGIN_INSTALL))
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()
