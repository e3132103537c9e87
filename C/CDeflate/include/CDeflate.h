#ifndef CDEFLATE_H
#define CDEFLATE_H

#include <stdbool.h>
#include <stddef.h>

/// Unpacks a stream of the DEFLATE format (RFC 1951) into memory for exactly so many bytes.
///
/// `wrapped` says whether zlib's header and checksum (RFC 1950) stand around it. False where the stream is
/// damaged, or gives more or fewer bytes; nothing beyond the memory is written.
bool deflate_unpack(
    const void *source, size_t source_count, void *target, size_t target_count, bool wrapped);

#endif
