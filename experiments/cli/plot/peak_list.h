/* Peaks of GPUs, a line each: TESS_PEAK(beginning of the name that the driver gives, Tflop/s in
 * double, in float, source). The longest beginning that fits counts. Vector units, boost clock, no
 * tensor cores: loops over meshes use none. Included once for each use. */

TESS_PEAK("NVIDIA H200", 34, 67, "NVIDIA H200 datasheet, SXM")
TESS_PEAK("NVIDIA H200 NVL", 30, 60, "NVIDIA H200 datasheet, NVL")
TESS_PEAK("NVIDIA H100 80GB HBM3", 34, 67, "NVIDIA H100 datasheet, SXM")
TESS_PEAK("NVIDIA H100 NVL", 30, 60, "NVIDIA H100 datasheet, NVL")
TESS_PEAK("NVIDIA A100", 9.7, 19.5, "NVIDIA A100 datasheet")
TESS_PEAK("Tesla V100-SXM2", 7.8, 15.7, "NVIDIA V100 datasheet, NVLink")
TESS_PEAK("Tesla V100-PCIE", 7, 14, "NVIDIA V100 datasheet, PCIe")
TESS_PEAK("Tesla P100-SXM2", 5.3, 10.6, "NVIDIA P100 datasheet, NVLink")
TESS_PEAK("Tesla P100-PCIE", 4.7, 9.3, "NVIDIA P100 datasheet, PCIe")
