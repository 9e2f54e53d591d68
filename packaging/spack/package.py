"""Tesselab for Spack: in a repository of packages, as packages/tesselab/package.py."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Tesselab(CMakePackage):
    """A laboratory for unstructured-mesh loops on GPUs: partitioners, plans, kernel strategies, measured and
    archived."""

    license("BSD-3-Clause")

    version("0.3.0")  # spack dev-build tesselab@0.3.0, in the folder of the sources

    variant("metis", default=True, description="METIS as a partitioner")
    variant("scotch", default=True, description="SCOTCH as a partitioner")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("expat")
    depends_on("hdf5")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("libarchive")
    depends_on("libyaml")
    depends_on("metis~int64", when="+metis")
    depends_on("openssl")
    depends_on("scotch~int64~mpi", when="+scotch")
    depends_on("util-linux")  # libsmartcols
    depends_on("xxhash")
    depends_on("zlib-api")

    generator("ninja")
