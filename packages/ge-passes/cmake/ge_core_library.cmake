# The native library of one core package: the same file in every package, so that each builds alone.
# tools/tests/test_packaging.py compares the copies.
#
#   ge_core_library(NAME ge_ir DESTINATION ge/graph/_lib)
#
# builds lib<NAME>.so from cpp/src/*.cc and installs it below the wheel. The library exports one
# symbol, <NAME>_get_api, and needs nothing but the C and C++ run-time libraries.

include_guard(GLOBAL)

set(GE_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -g1 keeps function names and lines for a useful backtrace; the wheel is stripped on installation.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

# Sources below cpp/src. A library without sources would load and offer nothing, so that is an error.
function(ge_core_sources OUT)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cpp/src/*.cc")
  if(NOT found)
    message(FATAL_ERROR "${PROJECT_NAME}: no C++ sources.\n"
      "  expected: at least one .cc file in ${CMAKE_CURRENT_SOURCE_DIR}/cpp/src\n"
      "  found: none (an incomplete checkout?)")
  endif()
  set(${OUT} "${found}" PARENT_SCOPE)
endfunction()

# Linker version script that lets out the getter alone, whatever the objects declare visible.
function(ge_export_only TARGET SYMBOL)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: @SYMBOL@; local: *; };\n" @ONLY)
  target_link_options(${TARGET} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${TARGET} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

function(ge_core_library)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;DESTINATION" "")
  find_package(Threads REQUIRED)
  ge_core_sources(sources)
  add_library(${ARG_NAME} SHARED ${sources})
  target_include_directories(${ARG_NAME} PRIVATE cpp/include cpp/src abi/include)
  target_compile_options(${ARG_NAME} PRIVATE
    -Wall -Wextra -Werror=return-type "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=${PROJECT_NAME}")
  target_link_libraries(${ARG_NAME} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  # nodelete: other libraries keep addresses of our functions, so the library must never be unmapped.
  # now: an unresolved symbol is an error at load, not in the middle of a call.
  target_link_options(${ARG_NAME} PRIVATE LINKER:-z,nodelete LINKER:-z,now)
  ge_export_only(${ARG_NAME} ${ARG_NAME}_get_api)
  if(GE_SANITIZE)
    target_compile_options(${ARG_NAME} PRIVATE -fsanitize=${GE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${ARG_NAME} PRIVATE -fsanitize=${GE_SANITIZE})
  else()
    # The sanitizers' run-time library is preloaded, so its symbols may stay open; nothing else may.
    target_link_options(${ARG_NAME} PRIVATE LINKER:--no-undefined)
  endif()
  install(TARGETS ${ARG_NAME} LIBRARY DESTINATION ${ARG_DESTINATION})
endfunction()
