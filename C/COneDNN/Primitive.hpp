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

/// One prepared computation: the primitive and what its arguments look like. Immutable once made.
struct adnn_primitive {
  dnnl::primitive primitive;
  std::string implementation;
  dnnl::memory::desc source, weights, bias, destination, scratchpad;
  /// How the caller's float32 weights lie, where they are packed.
  dnnl::memory::desc plainWeights;
  bool packsWeights = false;
  /// Whether the destination is packed weights.
  bool unpacksWeights = false;
  /// The numbers of the arguments in oneDNN's lists: gradients have others.
  int sourceArgument = DNNL_ARG_SRC;
  int weightsArgument = DNNL_ARG_WEIGHTS;
  int destinationArgument = DNNL_ARG_DST;
  /// For each post-op with an operand: the argument's number and its description.
  struct Operand {
    int index;
    int argument;
    dnnl::memory::desc description;
  };
  std::vector<Operand> operands;

  /// A part of the result, computed by one thread: its own primitive, and where it begins in whole arguments.
  struct Part {
    std::unique_ptr<adnn_primitive> primitive;
    size_t sourceBytes, weightsBytes, destinationBytes, columns;
    /// Where its scratch memory begins: its own result where parts are added, but for the first, then its primitive's.
    size_t scratchBegin = 0;
  };
  /// The parts where the implementation shares work among threads in a way that changes the sums with their
  /// number; empty where it computes everything at once. Their scratch memory lies side by side.
  std::vector<Part> parts;
  /// Whether the result is the sum of the parts, in their order. All but the first write into scratch memory.
  bool addsParts = false;
  /// Whether the implementation changes its sums with the number of threads, and so runs on one.
  bool runsOnOneThread = false;

  size_t scratchBytes() const {
    return parts.empty() ? (scratchpad.get_size() + 63) / 64 * 64 : partsScratch;
  }
  /// Adds a part; `addsParts` and `destination` are known.
  void add(Part part) {
    part.scratchBegin = partsScratch;
    partsScratch += part.primitive->scratchBytes() + (parts.empty() ? 0 : resultBytes());
    parts.push_back(std::move(part));
  }
  /// What a part's own result takes in scratch memory.
  size_t resultBytes() const { return addsParts ? (destination.get_size() + 63) / 64 * 64 : 0; }

 private:
  /// The scratch memory of all parts.
  size_t partsScratch = 0;
};

namespace atelier {

/// Held while a primitive is made. Up to version 2.7.1 the library keeps a block size of its convolutions in memory that
/// all threads share while it describes one (openvinotoolkit/oneDNN#167): two that are made at once, in float32 and in
/// bfloat16, answer wrong numbers for as long as they live.
std::mutex &makingLock();

/// The one CPU engine of the process. Never destroyed, so that it outlives every handle.
dnnl::engine &cpuEngine();

/// Runs `body` and turns whatever it throws into a status and a sentence.
template <typename Body>
adnn_status guarded(const char *what, Body &&body);

adnn_status fail(adnn_status status, const std::string &sentence);

/// Keeps the calling thread's parallel regions to one thread while it lives.
class OneThread {
 public:
  OneThread() { adnn_set_threads(1); }
  ~OneThread() { adnn_set_threads(threads); }

 private:
  const int32_t threads = adnn_threads();
};

/// Whether products of bytes are summed up in 32 bits, and factors are given when a primitive is made.
bool sumsBytesExactly();

/// A mistake in the caller's description.
struct InvalidArgument {
  std::string sentence;
};

/// A size that oneDNN's kernels cannot count.
struct TooLarge {};

/// A computation that this library or processor has not.
struct Unavailable {
  std::string sentence;
};

/// Throws where a size has more than 32 bits.
void requireCountable(std::initializer_list<dnnl::memory::dims> sizes);

inline void require(bool holds, const char *sentence) {
  if (!holds) throw InvalidArgument{sentence};
}

/// Whether an implementation calls a product of matrices that shares its sums among threads: other numbers of threads
/// give other bits.
inline bool sharesSums(const std::string &implementation) {
  const size_t place = implementation.find("gemm");
  return place != std::string::npos
      && (place == 0 || implementation[place - 1] == ':' || implementation[place - 1] == '_');
}

/// Fills in what every primitive description answers.
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
/// A batch of volumes, plane by plane or with the channels of each element side by side.
dnnl::memory::desc volumes(
    int64_t batch, int64_t channels, const int64_t *extents, adnn_type type, adnn_layout layout);

/// Post-ops as attributes. `full` are the destination's dimensions, `channelAxis` the axis of C.
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

/// Makes a primitive, one at a time in the process: `body` is given the description and answers the primitive.
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
