# Helpers of the artifact set: what it is built for, what identifies it, how its two libraries are made.

set(GE_ARTIFACT_TOOL "${CMAKE_CURRENT_LIST_DIR}/artifact_set.py")

# .cc files directly below DIR; none is an error, since an empty library would only fail later and less clearly.
function(ge_artifact_sources OUT DIR)
  file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${DIR}/*.cc")
  if(NOT found)
    message(FATAL_ERROR "ge-bridge-native: no C++ sources.\n"
      "  expected: at least one .cc file in ${CMAKE_CURRENT_SOURCE_DIR}/${DIR}\n"
      "  found: none (an incomplete checkout?)")
  endif()
  set(${OUT} "${found}" PARENT_SCOPE)
endfunction()

# Asks the interpreter what it is and computes the identifier of this set. Every source is a configure
# dependency, because the identifier covers their contents.
function(ge_artifact_facts)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/cpp/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/cpp/*.h"
    "${CMAKE_CURRENT_SOURCE_DIR}/abi/*.toml" "${CMAKE_CURRENT_SOURCE_DIR}/abi/include/*.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs} "${GE_ARTIFACT_TOOL}")
  set(facts "${CMAKE_CURRENT_BINARY_DIR}/facts.json")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${GE_ARTIFACT_TOOL}" facts
      --source "${CMAKE_CURRENT_SOURCE_DIR}" --nanobind "${nanobind_VERSION}"
      --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
      --flags "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${GE_SANITIZE}" --out "${facts}"
    RESULT_VARIABLE status ERROR_VARIABLE message)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ge-bridge-native: cannot describe ${Python_EXECUTABLE}:\n${message}")
  endif()
  file(READ "${facts}" json)
  foreach(key python_tag platform bridge_abi build_id pointer_bits)
    string(JSON value GET "${json}" ${key})
    string(TOUPPER "GE_${key}" name)
    set(${name} "${value}" PARENT_SCOPE)
  endforeach()
  string(JSON value GET "${json}" ext_suffix)
  if(NOT value STREQUAL NB_SUFFIX)
    message(FATAL_ERROR "ge-bridge-native: the interpreter wants extensions named *${value}, nanobind makes *${NB_SUFFIX}")
  endif()
endfunction()

# Options shared by both libraries of a set; ROLE is what the note inside the file says it is.
function(ge_artifact_library TARGET ROLE SYMBOL)
  target_include_directories(${TARGET} PRIVATE cpp abi/include)
  target_compile_options(${TARGET} PRIVATE
    -Wall -Wextra -Werror=return-type "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=${PROJECT_NAME}")
  string(TOUPPER "${ROLE}" role)
  target_compile_definitions(${TARGET} PRIVATE
    GE_ARTIFACT_ROLE=GE_ARTIFACT_ROLE_${role}
    GE_ARTIFACT_BRIDGE_ABI=${GE_BRIDGE_ABI}
    "GE_ARTIFACT_PYTHON_TAG=\"${GE_PYTHON_TAG}\""
    "GE_ARTIFACT_PLATFORM=\"${GE_PLATFORM}\"")
  # The identifier changes with every edit: only the note sees it, or each edit would recompile everything.
  set_property(SOURCE cpp/common/artifact_note.cc APPEND PROPERTY
    COMPILE_DEFINITIONS "GE_ARTIFACT_BUILD_ID=\"${GE_BUILD_ID}\"")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: @SYMBOL@; local: *; };\n" @ONLY)
  target_link_options(${TARGET} PRIVATE
    "LINKER:--version-script=${script}" LINKER:-z,nodelete LINKER:-z,now LINKER:--gc-sections)
  set_property(TARGET ${TARGET} APPEND PROPERTY LINK_DEPENDS "${script}")
  target_link_libraries(${TARGET} PRIVATE ${CMAKE_DL_LIBS})
  if(GE_SANITIZE)
    target_compile_options(${TARGET} PRIVATE -fsanitize=${GE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${TARGET} PRIVATE -fsanitize=${GE_SANITIZE})
  endif()
endfunction()

# Writes manifest.json beside the installed libraries.
function(ge_install_manifest DIR)
  install(CODE "
    set(ge_set_dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DIR}\")
    execute_process(
      COMMAND \"${Python_EXECUTABLE}\" \"${GE_ARTIFACT_TOOL}\" manifest
        --facts \"${CMAKE_CURRENT_BINARY_DIR}/facts.json\" --dir \"\${ge_set_dir}\"
        --bridge \"$<TARGET_FILE_NAME:ge_python_pass_bridge>\" --native \"$<TARGET_FILE_NAME:_ge_pass_native>\"
      RESULT_VARIABLE status ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR \"ge-bridge-native: manifest not written: \${message}\")
    endif()")
endfunction()
