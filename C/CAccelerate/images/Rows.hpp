// Helpers of vImage's functions: checks of buffers, and rows.

#pragma once

#include <initializer_list>

#include "vImage_types.h"

/// Checks the buffers of a function that writes all of `dest` and reads `sources`. Returns 0 or an error.
inline vImage_Error check(
    const vImage_Buffer *dest, std::initializer_list<const vImage_Buffer *> sources) {
  if (!dest || (!dest->data && dest->width && dest->height)) return kvImageNullPointerArgument;
  for (const vImage_Buffer *source : sources) {
    if (!source || (!source->data && dest->width && dest->height)) return kvImageNullPointerArgument;
    if (source->width < dest->width || source->height < dest->height) {
      return kvImageRoiLargerThanInputBuffer;
    }
  }
  return kvImageNoError;
}

template <class T>
T *row(const vImage_Buffer *buffer, vImagePixelCount y) {
  return reinterpret_cast<T *>(static_cast<char *>(buffer->data) + y * buffer->rowBytes);
}

/// Checks the buffers. Calls body(y) for every row of `dest` if there is no error.
template <class Body>
vImage_Error forRows(
    const vImage_Buffer *dest, std::initializer_list<const vImage_Buffer *> sources, Body body) {
  const vImage_Error error = check(dest, sources);
  if (error) return error;
  for (vImagePixelCount y = 0; y < dest->height; y++) body(y);
  return kvImageNoError;
}

/// x / 255, rounded to the nearest integer, for 0 ≤ x ≤ 255².
inline uint8_t dividedBy255(unsigned x) { return uint8_t((x + 127) / 255); }
