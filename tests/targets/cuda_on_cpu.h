/* What CUDA C has and C++ has not, for one thread at a time on a CPU; only for tests. */
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __syncthreads()

struct kt_index { unsigned x, y, z; };
static kt_index threadIdx, blockIdx, blockDim;

static inline int __float_as_int(float x) { int32_t i; std::memcpy(&i, &x, 4); return i; }
static inline int __double2loint(double x) { int64_t i; std::memcpy(&i, &x, 8); return (int)i; }

extern "C" void kt_place(unsigned block, unsigned thread, unsigned size)
{
    blockIdx.x = block;
    threadIdx.x = thread;
    blockDim.x = size;
}
