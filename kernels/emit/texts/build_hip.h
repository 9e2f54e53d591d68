# Builds @loop: a static library of the loop, and a program that checks and times it.
#
#     cmake -B build && cmake --build build && ctest --test-dir build -V
cmake_minimum_required(VERSION 3.21)
if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
  set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942) # your GPU's
endif()
if(NOT DEFINED CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
project(@loop LANGUAGES C HIP)
find_package(hip REQUIRED)

@again
add_library(@loop STATIC ${from}/@loop.hip ${from}/@loop_plan.c)
target_include_directories(@loop PUBLIC ${from})
target_link_libraries(@loop PUBLIC hip::host)

add_executable(@loop_check ${from}/main.c @sequential_sources)
target_link_libraries(@loop_check @loop m)

enable_testing()
add_test(NAME @loop COMMAND @loop_check ${from}/@loop.plan)
