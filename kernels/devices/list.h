/* The devices of this build (docs/concepts.md, "Kernels are written once"): one line each, included
 * twice. */
X(host)
X(emulator)
X(cuda)
X(nvrtc)
