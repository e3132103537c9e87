// The C part of os.log: the type that names a level, and the thread's number. The Swift module holds the functions.

#ifndef OS_LOG_H
#define OS_LOG_H

#include <stdint.h>

/// The number of a log level.
typedef uint8_t os_log_type_t;

/// Returns the number of the calling thread.
int32_t atelier_os_thread_number(void);

#endif
