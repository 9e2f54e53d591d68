# Builds @loop: a static library of the loop, and a program that checks and times it.
#
#     cmake -B build && cmake --build build && ctest --test-dir build -V
cmake_minimum_required(VERSION 3.18)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90) # your GPU's compute capability, 80 for 8.0
endif()
if(NOT DEFINED CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
project(@loop LANGUAGES C CUDA)
find_package(CUDAToolkit REQUIRED)

@again
add_library(@loop STATIC ${from}/@loop.cu ${from}/@loop_plan.c)
target_include_directories(@loop PUBLIC ${from})
target_compile_features(@loop PUBLIC cuda_std_17)
target_link_libraries(@loop PUBLIC CUDA::cudart_static)

add_executable(@loop_check ${from}/main.c @sequential_sources)
target_link_libraries(@loop_check @loop m)

enable_testing()
add_test(NAME @loop COMMAND @loop_check ${from}/@loop.plan)
