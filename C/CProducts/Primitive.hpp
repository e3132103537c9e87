#pragma once

#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "COneDNN.h"
#include "MatrixKernel.hpp"

/// A prepared computation, without oneDNN. Immutable once created.
struct adnn_primitive {
  std::string name;
  size_t scratchBytes = 0, weightsBytes = 0, destinationBytes = 0;
  /// The name of the order of packed weights.
  std::string form;

  virtual ~adnn_primitive() = default;
  virtual void run(const adnn_arguments &arguments) const = 0;
  virtual void pack(const float *, float *) const {}
  virtual void unpack(const float *, float *) const {}
};

struct adnn_execution {
  const adnn_primitive *primitive;
};

namespace products {

adnn_status fail(adnn_status status, const std::string &sentence);

/// The exception for a mistake in the caller's description.
struct InvalidArgument {
  std::string sentence;
};

/// The exception for a computation that this module does not have. The engine then uses its own kernels.
struct Unavailable {};

inline void require(bool holds, const char *sentence) {
  if (!holds) throw InvalidArgument{sentence};
}

/// Throws Unavailable for element types other than float32 and bfloat16.
inline void requireFloats(std::initializer_list<adnn_type> types) {
  for (const adnn_type type : types)
    if (type != ADNN_F32 && type != ADNN_BF16) throw Unavailable{};
}

template <typename Body>
adnn_status guarded(const char *what, Body &&body) {
  try {
    body();
    return ADNN_OK;
  } catch (const InvalidArgument &error) {
    return fail(ADNN_INVALID_ARGUMENT, std::string(what) + ": " + error.sentence);
  } catch (const Unavailable &) {
    return fail(ADNN_UNIMPLEMENTED, std::string(what) + ": not among the products without oneDNN");
  } catch (const std::bad_alloc &) {
    return fail(ADNN_OUT_OF_MEMORY, std::string(what) + ": out of memory");
  } catch (const std::exception &error) {
    return fail(ADNN_FAILED, std::string(what) + ": " + error.what());
  } catch (...) {
    return fail(ADNN_FAILED, std::string(what) + ": unknown failure");
  }
}

/// Creates a primitive with `body`, which receives the description.
template <typename Description, typename Body>
adnn_status make(const char *what, const Description *d, adnn_primitive **result, Body &&body) {
  return guarded(what, [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    std::unique_ptr<adnn_primitive> made = body(*d);
    *result = made.release();
  });
}

inline float fromBFloat16(uint16_t bits) {
  const uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to the nearest, ties to even. NaN stays NaN.
inline uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline size_t bytesOf(adnn_type type) { return type == ADNN_BF16 ? 2 : 4; }

/// Reads `count` adjacent elements of a float32 or bfloat16 array, from the element `first`.
void read(const void *from, adnn_type type, int64_t first, int64_t count, float *to);
/// Writes `count` adjacent elements.
void write(const float *from, int64_t count, void *to, adnn_type type, int64_t first);

/// The epilogue of a matrix product: a bias, then operations.
struct Epilogue {
  std::vector<adnn_post_op> operations;
  bool hasBias = false;

  Epilogue() = default;
  Epilogue(const adnn_post_op *list, int32_t count, bool hasBias);
  bool sums() const { return !operations.empty() && operations[0].kind == ADNN_SUM; }
  /// Applies the epilogue to `count` results of one row, of the columns from `column`. `former` are the previous
  /// contents of the destination if the epilogue adds them.
  void apply(float *results, int64_t count, int64_t column, const adnn_arguments &arguments,
      const float *former) const;
};

}  // namespace products
