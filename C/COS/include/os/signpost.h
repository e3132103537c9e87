// The C part of os.signpost: the type that identifies an interval. The Swift module holds the functions.

#ifndef OS_SIGNPOST_H
#define OS_SIGNPOST_H

#include <stdint.h>

/// The number that identifies an interval.
typedef uint64_t os_signpost_id_t;

#endif
