# libtorch, for the targets that ask for it: none of its flags reaches any other. It is looked for
# when the first asks.

# Sets <result> to whether libtorch is to be used, as the option REFRAN_TORCH says. If so, the target
# refran_torch is what to link.
function(refran_find_torch result)
  get_property(is_known GLOBAL PROPERTY REFRAN_HAS_TORCH SET)
  if(NOT is_known)
    _refran_look_for_torch()
  endif()
  get_property(has_torch GLOBAL PROPERTY REFRAN_HAS_TORCH)
  set(${result} ${has_torch} PARENT_SCOPE)
endfunction()

# Tells at the end of the configuration what is not built, for want of torch.
function(refran_left_out what)
  get_property(is_told GLOBAL PROPERTY REFRAN_LEFT_OUT SET)
  set_property(GLOBAL APPEND PROPERTY REFRAN_LEFT_OUT "${what}")
  if(NOT is_told)
    cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL _refran_tell_left_out)
  endif()
endfunction()

# A function, since find_package(Torch) sets variables that would change how all else is built.
function(_refran_look_for_torch)
  set_property(GLOBAL PROPERTY REFRAN_HAS_TORCH OFF)
  if(NOT REFRAN_TORCH STREQUAL AUTO AND NOT REFRAN_TORCH)
    return()
  endif()
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  if(REFRAN_TORCH STREQUAL AUTO)
    find_package(Torch QUIET)
  else()
    find_package(Torch REQUIRED)
  endif()
  if(Torch_FOUND)
    add_library(refran_torch INTERFACE)
    target_link_libraries(refran_torch INTERFACE ${TORCH_LIBRARIES})
    set_property(GLOBAL PROPERTY REFRAN_HAS_TORCH ON)
  endif()
endfunction()

function(_refran_tell_left_out)
  get_property(left_out GLOBAL PROPERTY REFRAN_LEFT_OUT)
  list(JOIN left_out ", " text)
  if(REFRAN_TORCH STREQUAL AUTO)
    message(STATUS "libtorch was not found (apt install libtorch-dev); left out: ${text}")
  else()
    message(STATUS "REFRAN_TORCH is ${REFRAN_TORCH}; left out: ${text}")
  endif()
endfunction()
