// A call of renameat2. Swift's Glibc module does not import renameat2, because its declaration needs _GNU_SOURCE.

#ifndef CFILES_H
#define CFILES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Exchanges the names of two files or folders of the same file system in one step. Returns 0, or the errno. The errno
/// is EINVAL or ENOSYS if the file system or the kernel does not support the exchange.
int cfiles_exchange(const char *first, const char *second);

#ifdef __cplusplus
}
#endif

#endif
