# GoogleTest built from the sources in Debian's libgtest-dev, for builds that the packaged library does not fit.
add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
set(GTest_FOUND TRUE)
