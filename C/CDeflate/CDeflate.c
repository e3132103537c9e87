#include "CDeflate.h"

#include <zlib.h>

/// Subtracts a part of at most 1 GiB from `count` and returns the part's size. zlib's byte counters have only 32 bits.
static uInt piece(size_t *count) {
  const size_t most = (size_t)1 << 30;
  const size_t part = *count < most ? *count : most;
  *count -= part;
  return (uInt)part;
}

bool deflate_unpack(
    const void *source, size_t source_count, void *target, size_t target_count, bool wrapped) {
  z_stream stream = {0};
  if (inflateInit2(&stream, wrapped ? MAX_WBITS : -MAX_WBITS) != Z_OK) return false;
  const size_t wanted = target_count;
  // If the stream decompresses to more bytes than expected, the first surplus byte is written here.
  Bytef extra;
  stream.next_in = (Bytef *)source;
  stream.next_out = target;
  int status = Z_OK;
  while (status == Z_OK && stream.total_out <= wanted) {
    if (stream.avail_in == 0) stream.avail_in = piece(&source_count);
    if (stream.avail_out == 0) {
      stream.avail_out = piece(&target_count);
      if (stream.avail_out == 0) {
        stream.next_out = &extra;
        stream.avail_out = 1;
      }
    }
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const bool whole = status == Z_STREAM_END && stream.total_out == wanted;
  inflateEnd(&stream);
  return whole;
}

bool deflate_unpack_pieces(
    const void *source, size_t source_count, size_t target_count, void *context,
    bool (*take)(void *context, const void *bytes, size_t count)) {
  z_stream stream = {0};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  Bytef bytes[64 << 10];
  stream.next_in = (Bytef *)source;
  int status = Z_OK;
  bool goes_on = true;
  while (status == Z_OK && goes_on && stream.total_out <= target_count) {
    if (stream.avail_in == 0) stream.avail_in = piece(&source_count);
    stream.next_out = bytes;
    stream.avail_out = sizeof bytes;
    status = inflate(&stream, Z_NO_FLUSH);
    const size_t made = sizeof bytes - stream.avail_out;
    if ((status == Z_OK || status == Z_STREAM_END) && stream.total_out <= target_count && made > 0)
      goes_on = take(context, bytes, made);
  }
  const bool whole = goes_on && status == Z_STREAM_END && stream.total_out == target_count;
  inflateEnd(&stream);
  return whole;
}

bool deflate_transform(
    const void *source, size_t source_count, bool compresses, void *context,
    bool (*take)(void *context, const void *bytes, size_t count)) {
  z_stream stream = {0};
  const int level = 5, memory = 8;
  const int begun = compresses
      ? deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, memory, Z_DEFAULT_STRATEGY)
      : inflateInit2(&stream, -MAX_WBITS);
  if (begun != Z_OK) return false;
  Bytef bytes[64 << 10];
  stream.next_in = (Bytef *)source;
  int status = Z_OK;
  bool goes_on = true;
  while (status == Z_OK && goes_on) {
    if (stream.avail_in == 0) stream.avail_in = piece(&source_count);
    stream.next_out = bytes;
    stream.avail_out = sizeof bytes;
    status = compresses ? deflate(&stream, source_count == 0 ? Z_FINISH : Z_NO_FLUSH)
                        : inflate(&stream, Z_NO_FLUSH);
    const size_t made = sizeof bytes - stream.avail_out;
    if ((status == Z_OK || status == Z_STREAM_END) && made > 0)
      goes_on = take(context, bytes, made);
  }
  if (compresses) {
    deflateEnd(&stream);
  } else {
    inflateEnd(&stream);
  }
  return goes_on && status == Z_STREAM_END;
}
