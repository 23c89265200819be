# The few kinds of target that this project has, and the flags that all of them share.

add_library(parapet_flags INTERFACE)
target_include_directories(parapet_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# Clang counts changes of sign among -Wconversion, GCC does not: one rule for both.
target_compile_options(parapet_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
if(PARAPET_SANITIZE)
  target_compile_options(parapet_flags INTERFACE
    -fsanitize=${PARAPET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(parapet_flags INTERFACE -fsanitize=${PARAPET_SANITIZE})
endif()
if(PARAPET_FUZZ)
  target_compile_options(parapet_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# parapet_folder(NAME SOURCES a.cc ... [USES other folders or libraries])
# One folder of src/ as a static library `parapet_NAME`.
function(parapet_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(parapet_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(parapet_${name} PUBLIC parapet_flags ${ARG_USES})
endfunction()

# parapet_test(NAME SOURCES a_test.cc ... [USES libraries] [LABEL label] [SHARDS count])
# One GoogleTest program; every TEST in it becomes a ctest of its own. One with thousands of them runs in that many
# shards instead, each a ctest: starting a process for each test would take longer than the tests.
function(parapet_test name)
  if(NOT PARAPET_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LABEL;SHARDS" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE parapet_flags ${ARG_USES} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PARAPET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Compiling tests takes longer than running them, but for those with oracles that multiply byte by byte.
  if(NOT ARG_LABEL MATCHES "^(gf|codec)$")
    target_compile_options(${name} PRIVATE -O1)
  endif()
  if(NOT ARG_SHARDS)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS "${ARG_LABEL}")
    return()
  endif()
  math(EXPR last_shard "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last_shard})
    add_test(NAME ${name}.${shard} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name}.${shard} PROPERTIES TIMEOUT 600 LABELS "${ARG_LABEL}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# parapet_fuzz(NAME SOURCES a_fuzz.cc ... [USES libraries])
function(parapet_fuzz name)
  if(NOT PARAPET_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE parapet_flags ${ARG_USES})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# parapet_installed_library(NAME folders...)
# The folders' objects once as a static and once as a shared library: what people link.
function(parapet_installed_library name)
  set(objects)
  foreach(folder ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:parapet_${folder}>)
  endforeach()
  foreach(kind STATIC SHARED)
    string(TOLOWER ${kind} suffix)
    set(target ${name}_${suffix})
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${suffix} LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(${target} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${target} INTERFACE cxx_std_20)
    if(PARAPET_SANITIZE)
      target_link_options(${target} PRIVATE -fsanitize=${PARAPET_SANITIZE})
    endif()
  endforeach()
endfunction()
