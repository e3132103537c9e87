#ifndef CMACH_H
#define CMACH_H

#include <stdint.h>

// In C, a structure and a function may have the same name, and Swift sees both. A module in Swift cannot declare them.

/// How ticks of `mach_absolute_time` become nanoseconds: times `numer`, divided by `denom`.
struct mach_timebase_info {
    uint32_t numer;
    uint32_t denom;
};
typedef struct mach_timebase_info mach_timebase_info_data_t;
typedef struct mach_timebase_info *mach_timebase_info_t;

/// Stores that a tick is a nanosecond. Returns 0.
int mach_timebase_info(mach_timebase_info_t info);

#endif
