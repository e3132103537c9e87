// What Swift's Glibc does not show of renameat2, which needs _GNU_SOURCE.

#ifndef CFILES_H
#define CFILES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Lets two files or folders of one file system change their names in one step. Returns 0, or the
/// errno: EINVAL or ENOSYS where the file system or the kernel cannot.
int cfiles_exchange(const char *first, const char *second);

#ifdef __cplusplus
}
#endif

#endif
