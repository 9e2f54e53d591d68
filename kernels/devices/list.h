/* The devices of this build (DESIGN section 6): one line each, included twice. */
X(host)
X(emulator)
X(cuda)
X(nvrtc)
