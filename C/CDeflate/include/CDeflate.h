#ifndef CDEFLATE_H
#define CDEFLATE_H

#include <stdbool.h>
#include <stddef.h>

/// Decompresses a DEFLATE stream (RFC 1951) into a buffer of exactly the decompressed size.
///
/// `wrapped`: whether the stream has zlib's header and checksum (RFC 1950). Returns false if the stream is damaged, or
/// if its decompressed size is not `target_count` bytes. Never writes beyond the buffer.
bool deflate_unpack(
    const void *source, size_t source_count, void *target, size_t target_count, bool wrapped);

/// Decompresses a stream without zlib's header piece by piece, and passes each piece to `take`. `take` returns whether
/// it wants more pieces. Returns false if the stream is damaged, if the stream's decompressed size is not
/// `target_count` bytes, or if `take` stopped before the end.
bool deflate_unpack_pieces(
    const void *source, size_t source_count, size_t target_count, void *context,
    bool (*take)(void *context, const void *bytes, size_t count));

/// Compresses bytes to a stream without zlib's header, or decompresses such a stream of any size, piece by piece, and
/// passes each piece to `take`. `take` returns whether it wants more pieces.
///
/// Returns false if memory is short, if `take` stopped, or if the stream is damaged or ends too early. Bytes after the
/// stream's end are ignored.
bool deflate_transform(
    const void *source, size_t source_count, bool compresses, void *context,
    bool (*take)(void *context, const void *bytes, size_t count));

#endif
