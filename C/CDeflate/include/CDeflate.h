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

/// Unpacks a stream as `deflate_unpack` does, without zlib's header, and hands it over in pieces, never more than
/// `target_count` bytes. `take` says whether it wants more. False where the stream is damaged, gives more or fewer
/// bytes, or was not wanted to the end.
bool deflate_unpack_pieces(
    const void *source, size_t source_count, size_t target_count, void *context,
    bool (*take)(void *context, const void *bytes, size_t count));

#endif
