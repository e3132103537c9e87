#pragma once

#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <dnnl.hpp>

#include "COneDNN.h"

#ifndef DNNL_VERSION_MAJOR
#include <dnnl_version.h>
#endif

/// One prepared computation: the primitive and the descriptions of its arguments. Immutable once created.
struct adnn_primitive {
  dnnl::primitive primitive;
  std::string implementation;
  dnnl::memory::desc source, weights, bias, destination, scratchpad;
  /// The layout of the caller's float32 weights, if the primitive packs weights.
  dnnl::memory::desc plainWeights;
  bool packsWeights = false;
  /// Whether the destination holds gradients of weights in packed order. `adnn_unpack_weights` converts them to plain
  /// order.
  bool unpacksWeights = false;
  /// The indices under which oneDNN expects the arguments. Primitives for gradients replace these defaults.
  int sourceArgument = DNNL_ARG_SRC;
  int weightsArgument = DNNL_ARG_WEIGHTS;
  int destinationArgument = DNNL_ARG_DST;
  /// The operand of a post-op: the index of the post-op, the index of the argument in oneDNN's lists, and the memory
  /// description of the operand.
  struct Operand {
    int index;
    int argument;
    dnnl::memory::desc description;
  };
  std::vector<Operand> operands;

  /// A part of the computation, which one thread runs: a primitive, and its offsets in the arguments of the whole
  /// computation.
  struct Part {
    std::unique_ptr<adnn_primitive> primitive;
    size_t sourceBytes, weightsBytes, destinationBytes, columns;
    /// The byte offset of the part's memory in the scratch memory of all parts. If `addsParts` is true, the memory of
    /// every part except the first begins with the part's own result. The scratch memory of the part's primitive
    /// follows.
    size_t scratchBegin = 0;
  };
  /// The parts of the computation. Each part has its own scratch memory. The list is empty if one primitive computes
  /// everything. The computation has parts if the implementation's own division among threads would make the sums
  /// depend on the number of threads.
  std::vector<Part> parts;
  /// Whether the result is the sum of the parts, in order. All parts except the first write into scratch memory.
  bool addsParts = false;
  /// Whether the primitive runs on one thread, because the sums would otherwise depend on the number of threads.
  bool runsOnOneThread = false;

  size_t scratchBytes() const {
    return parts.empty() ? (scratchpad.get_size() + 63) / 64 * 64 : partsScratch;
  }
  /// Adds a part. Set `addsParts` and `destination` before the first call.
  void add(Part part) {
    part.scratchBegin = partsScratch;
    partsScratch += part.primitive->scratchBytes() + (parts.empty() ? 0 : resultBytes());
    parts.push_back(std::move(part));
  }
  /// Returns the size in bytes of a part's own result in scratch memory. It is 0 if `addsParts` is false.
  size_t resultBytes() const { return addsParts ? (destination.get_size() + 63) / 64 * 64 : 0; }

 private:
  /// The size in bytes of the scratch memory of all parts.
  size_t partsScratch = 0;
};

namespace atelier {

/// The mutex that a thread holds while it creates a primitive. Versions of oneDNN up to 2.7.1 describe a convolution
/// with a block size that they store in memory shared by all threads (openvinotoolkit/oneDNN#167). Two convolutions
/// that are created at the same time, one in float32 and one in bfloat16, then give wrong results in every run.
std::mutex &makingLock();

/// The one CPU engine of the process. Never destroyed, so that it outlives every handle.
dnnl::engine &cpuEngine();

/// Runs `body` and turns any exception into a status and a sentence.
template <typename Body>
adnn_status guarded(const char *what, Body &&body);

adnn_status fail(adnn_status status, const std::string &sentence);

/// While an object of this class exists, the parallel regions of the calling thread use one thread.
class OneThread {
 public:
  OneThread() { adnn_set_threads(1); }
  ~OneThread() { adnn_set_threads(threads); }

 private:
  const int32_t threads = adnn_threads();
};

/// Returns true if the library sums products of bytes exactly, in 32 bits, and if a primitive can be created with a
/// factor for each output channel (`adnn_convolution::factors`).
bool sumsBytesExactly();

/// The exception for a mistake in the caller's description.
struct InvalidArgument {
  std::string sentence;
};

/// The exception for a size that does not fit oneDNN's 32-bit counters.
struct TooLarge {};

/// The exception for a computation that this library or processor does not support.
struct Unavailable {
  std::string sentence;
};

/// Throws TooLarge if a size does not fit 32 bits.
void requireCountable(std::initializer_list<dnnl::memory::dims> sizes);

inline void require(bool holds, const char *sentence) {
  if (!holds) throw InvalidArgument{sentence};
}

/// Returns true if an implementation calls a matrix product that divides its sums among threads. The bits of the result
/// then depend on the number of threads.
inline bool sharesSums(const std::string &implementation) {
  const size_t place = implementation.find("gemm");
  return place != std::string::npos
      && (place == 0 || implementation[place - 1] == ':' || implementation[place - 1] == '_');
}

/// Copies the properties that every primitive description has.
template <typename Description>
void adopt(adnn_primitive &made, const Description &pd) {
  made.implementation = pd.impl_info_str();
  made.source = pd.src_desc();
  made.destination = pd.dst_desc();
  made.scratchpad = pd.scratchpad_desc();
}

dnnl::memory::data_type dataType(adnn_type type);
dnnl::memory::desc pictures(
    const dnnl::memory::dims &dims, adnn_type type, adnn_layout layout);
/// Returns the memory description of a batch of volumes, channels-first or channels-last.
dnnl::memory::desc volumes(
    int64_t batch, int64_t channels, const int64_t *extents, adnn_type type, adnn_layout layout);

/// Converts post-ops to attributes. `full` holds the destination's dimensions. `channelAxis` is the index of the
/// channel axis.
dnnl::primitive_attr attributes(
    const adnn_post_op *ops, int count, const dnnl::memory::dims &full, int channelAxis,
    std::vector<adnn_primitive::Operand> &operands);

adnn_status statusOf(dnnl_status_t status);

template <typename Body>
adnn_status guarded(const char *what, Body &&body) {
  try {
    body();
    return ADNN_OK;
  } catch (const InvalidArgument &error) {
    return fail(ADNN_INVALID_ARGUMENT, std::string(what) + ": " + error.sentence);
  } catch (const Unavailable &error) {
    return fail(ADNN_UNIMPLEMENTED, std::string(what) + ": " + error.sentence);
  } catch (const TooLarge &) {
    return fail(ADNN_UNIMPLEMENTED, std::string(what) + ": oneDNN counts sizes in 32 bits");
  } catch (const dnnl::error &error) {
    return fail(statusOf(error.status), std::string(what) + ": oneDNN says: " + error.what());
  } catch (const std::bad_alloc &) {
    return fail(ADNN_OUT_OF_MEMORY, std::string(what) + ": out of memory");
  } catch (const std::exception &error) {
    return fail(ADNN_FAILED, std::string(what) + ": " + error.what());
  } catch (...) {
    return fail(ADNN_FAILED, std::string(what) + ": unknown failure");
  }
}

/// Creates a primitive. Only one thread of the process creates a primitive at a time. `body` receives the description
/// and returns the primitive.
template <typename Description, typename Body>
adnn_status make(const char *what, const Description *d, adnn_primitive **result, Body &&body) {
  return guarded(what, [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    const std::lock_guard<std::mutex> one(makingLock());
    std::unique_ptr<adnn_primitive> made = body(*d);
    *result = made.release();
  });
}

}  // namespace atelier
