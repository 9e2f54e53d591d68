# Builds what makes @loop for another mesh. It is the one thing here that needs Tesselab's library.
#
#     cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build
cmake_minimum_required(VERSION 3.18)
project(@loop_build LANGUAGES C)
find_package(tesselab REQUIRED)

add_executable(@loop_build main.c @loop_build.c)
target_link_libraries(@loop_build tesselab::tesselab)
