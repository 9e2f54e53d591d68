/* The peers of this build: symbol, name and adaptor, one line each. */
X(numpy, "numpy", "numpy/numpy_peer.py")
X(torch, "torch", "torch/torch_peer.py")
X(torch_compiled, "torch-compiled", "torch/torch_peer.py")
X(jax, "jax", "jax/jax_peer.py")
X(jax_segment_sum, "jax-segment_sum", "jax/jax_peer.py")
X(cupy, "cupy", "cupy/cupy_peer.py")
X(warp, "warp", "warp/warp_peer.py")
