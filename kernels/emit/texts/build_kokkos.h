# Builds @loop: a static library of the loop, and a program that checks and times it.
#
#     cmake -B build -DKokkos_ROOT=DIR && cmake --build build && ctest --test-dir build -V
cmake_minimum_required(VERSION 3.18)
if(NOT DEFINED CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
project(@loop LANGUAGES C CXX)
find_package(Kokkos REQUIRED)

@again
add_library(@loop STATIC ${from}/@loop.cpp ${from}/@loop_plan.c ${from}/gpu_by_kokkos.cpp)
target_include_directories(@loop PUBLIC ${from})
target_link_libraries(@loop PUBLIC Kokkos::kokkos)

add_executable(@loop_check ${from}/main.c @sequential_sources)
target_link_libraries(@loop_check @loop m)

enable_testing()
add_test(NAME @loop COMMAND @loop_check ${from}/@loop.plan)
