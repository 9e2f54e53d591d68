/* Peaks of GPUs, a line each: TESS_PEAK(beginning of the name that the driver gives, Tflop/s in
 * double, in float, source: a data sheet or a public table). The longest beginning that fits
 * counts. Vector units, boost clock, no tensor cores: loops over meshes use none. Included once for
 * each use. */

TESS_PEAK("NVIDIA H200", 34, 67, "NVIDIA H200 datasheet, SXM")
TESS_PEAK("NVIDIA H200 NVL", 30, 60, "NVIDIA H200 datasheet, NVL")
TESS_PEAK("NVIDIA H100 80GB HBM3", 34, 67, "NVIDIA H100 datasheet, SXM")
TESS_PEAK("NVIDIA H100 NVL", 30, 60, "NVIDIA H100 datasheet, NVL")
TESS_PEAK("NVIDIA H100 PCIe", 25.6, 51.2,
          "hmc-tech.com/gpu/nvidia-h100-vs-nvidia-h200-sxm-vs-nvidia-gb200; double: half")
TESS_PEAK("NVIDIA B200", 37.5, 75, "hmc-tech.com/gpu/nvidia-b200-vs-nvidia-l40")
TESS_PEAK("NVIDIA L40", 1.41, 90.5, "hmc-tech.com/gpu/nvidia-b200-vs-nvidia-l40")
TESS_PEAK("NVIDIA L40S", 1.43, 91.6, "huggingface.js hardware.ts, of techpowerup.com; double: 1/64")
TESS_PEAK("NVIDIA A100", 9.7, 19.5, "NVIDIA A100 datasheet")
TESS_PEAK("Tesla V100-SXM2", 7.8, 15.7, "NVIDIA V100 datasheet, NVLink")
TESS_PEAK("Tesla V100-PCIE", 7, 14, "NVIDIA V100 datasheet, PCIe")
TESS_PEAK("Tesla P100-SXM2", 5.3, 10.6, "NVIDIA P100 datasheet, NVLink")
TESS_PEAK("Tesla P100-PCIE", 4.7, 9.3, "NVIDIA P100 datasheet, PCIe")
TESS_PEAK("NVIDIA GeForce RTX 3090", 0.556, 35.6,
          "huggingface.co/datasets/ohdoking/gpu_spec; double: 1/64")
TESS_PEAK("NVIDIA GeForce RTX 3090 Ti", 0.63, 40,
          "hmc-tech.com/gpu/nvidia-geforce-rtx-4090-d-vs-nvidia-geforce-rtx-3090-ti")
TESS_PEAK("NVIDIA GeForce RTX 4090", 1.29, 82.6,
          "huggingface.co/datasets/ohdoking/gpu_spec; double: 1/64")
TESS_PEAK("NVIDIA GeForce RTX 4090 D", 1.15, 73.5,
          "hmc-tech.com/gpu/nvidia-geforce-rtx-4090-d-vs-nvidia-geforce-rtx-3090-ti")
TESS_PEAK("NVIDIA GeForce RTX 4090 Laptop", 0.515, 33,
          "huggingface.js hardware.ts, of techpowerup.com; double: 1/64")
TESS_PEAK("NVIDIA RTX A6000", 0.605, 38.7,
          "huggingface.co/datasets/ohdoking/gpu_spec; double: 1/64")
