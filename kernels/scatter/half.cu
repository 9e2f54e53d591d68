/* Halves by their bits, in the words of simt.h. */

typedef unsigned short half_bits;

#if defined(__CUDACC__)
INLINE float float_of_half(half_bits bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
INLINE half_bits half_of_float(float value) {
    half_bits bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
#else
INLINE float float_of_half(half_bits bits) {
    _Float16 value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return (float)value;
}
INLINE half_bits half_of_float(float value) {
    const _Float16 rounded = (_Float16)value;
    half_bits bits;
    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return bits;
}
#endif
