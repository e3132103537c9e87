#include <algorithm>
#include <exception>
#include <mutex>

#include "CKernels.h"
#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

/// The memory objects of one caller. Only the data pointers of these objects change from run to run.
struct adnn_execution {
  const adnn_primitive *primitive;
  dnnl::stream stream;
  memory source, weights, bias, destination, scratchpad;
  std::vector<memory> operands;
  std::vector<dnnl_exec_arg_t> arguments;
  /// One execution for each part of the primitive.
  std::vector<std::unique_ptr<adnn_execution>> parts;
};

static void append(std::string &text, const char *name, const memory::dims &values) {
  text += name;
  for (const auto value : values) text += " " + std::to_string(value);
}

/// Describes a layout in words. Returns an empty string if the library does not reveal the layout.
static std::string formOf(const memory::desc &description) {
  std::string text;
#if DNNL_VERSION_MAJOR >= 3
  if (description.get_format_kind() != memory::format_kind::blocked) return text;
  text = "type " + std::to_string(static_cast<int>(description.get_data_type()));
  append(text, " sizes", description.get_dims());
  append(text, " padded", description.get_padded_dims());
  append(text, " offsets", description.get_padded_offsets());
  append(text, " start", {description.get_submemory_offset()});
  append(text, " strides", description.get_strides());
  append(text, " blocks", description.get_inner_blks());
  append(text, " of", description.get_inner_idxs());
#else
  const dnnl_memory_desc_t &data = description.data;
  if (data.format_kind != dnnl_blocked) return text;
  const auto &blocking = data.format_desc.blocking;
  auto list = [](const dnnl_dim_t *values, int count) {
    return memory::dims(values, values + count);
  };
  text = "type " + std::to_string(static_cast<int>(data.data_type));
  append(text, " sizes", list(data.dims, data.ndims));
  append(text, " padded", list(data.padded_dims, data.ndims));
  append(text, " offsets", list(data.padded_offsets, data.ndims));
  append(text, " start", {data.offset0});
  append(text, " strides", list(blocking.strides, data.ndims));
  append(text, " blocks", list(blocking.inner_blks, blocking.inner_nblks));
  append(text, " of", list(blocking.inner_idxs, blocking.inner_nblks));
  if (data.extra.flags != dnnl_memory_extra_flag_none)
    append(text, " extra",
        {static_cast<dnnl_dim_t>(data.extra.flags), data.extra.compensation_mask});
#endif
  return text;
}

static std::string weightsForm(const adnn_primitive &primitive) {
  const std::string from = formOf(primitive.plainWeights), to = formOf(primitive.weights);
  if (!from.empty() && !to.empty()) return from + " to " + to;
  // Only the implementation knows the layout, so the name contains the implementation and the layouts of the images.
  return from + " to that of " + primitive.implementation + " for " + formOf(primitive.source)
      + " and " + formOf(primitive.destination) + ", bytes "
      + std::to_string(primitive.weights.get_size());
}

static bool isEmpty(const memory::desc &description) { return description.get_size() == 0; }

static std::unique_ptr<adnn_execution> makeExecution(const adnn_primitive &primitive) {
  auto &engine = cpuEngine();
  auto made = std::make_unique<adnn_execution>();
  made->primitive = &primitive;
  made->stream = dnnl::stream(engine);
  auto take = [&](const memory::desc &description, int argument) {
    memory object(description, engine, DNNL_MEMORY_NONE);
    made->arguments.push_back({argument, object.get()});
    return object;
  };
  made->source = take(primitive.source, primitive.sourceArgument);
  made->destination = take(primitive.destination, primitive.destinationArgument);
  if (!isEmpty(primitive.weights))
    made->weights = take(primitive.weights, primitive.weightsArgument);
  if (!isEmpty(primitive.bias)) made->bias = take(primitive.bias, DNNL_ARG_BIAS);
  if (!isEmpty(primitive.scratchpad))
    made->scratchpad = take(primitive.scratchpad, DNNL_ARG_SCRATCHPAD);
  for (const auto &operand : primitive.operands)
    made->operands.push_back(take(operand.description, operand.argument));
  for (const auto &part : primitive.parts)
    made->parts.push_back(makeExecution(*part.primitive));
  return made;
}

/// Runs a primitive without parts on the threads that the library uses.
static void execute(adnn_execution &e, const adnn_arguments &a) {
  require(a.source != nullptr && a.destination != nullptr, "no source or destination given");
  bool complete = true;
  dnnl_status_t status = dnnl_success;
  auto point = [&](memory &object, const void *data) {
    complete = complete && data != nullptr;
    if (status == dnnl_success)
      status = dnnl_memory_set_data_handle(object.get(), const_cast<void *>(data));
  };
  point(e.source, a.source);
  point(e.destination, a.destination);
  if (e.weights) point(e.weights, a.weights);
  if (e.bias) point(e.bias, a.bias);
  if (e.scratchpad) point(e.scratchpad, a.scratchpad);
  for (size_t index = 0; index < e.operands.size(); ++index)
    point(e.operands[index], a.operands ? a.operands[e.primitive->operands[index].index] : nullptr);
  require(complete, "weights, bias, scratchpad or a post-op's operand is missing");
  if (status == dnnl_success)
    status = dnnl_primitive_execute(e.primitive->primitive.get(), e.stream.get(),
        static_cast<int>(e.arguments.size()), e.arguments.data());
  if (status == dnnl_success) status = dnnl_stream_wait(e.stream.get());
  if (status != dnnl_success) throw dnnl::error(status, e.primitive->implementation.c_str());
}

namespace {

/// Adds the results of all parts after the first to the first part's result, in the order of the parts.
void addParts(const adnn_primitive &primitive, const adnn_arguments &arguments) {
  constexpr size_t kFloats = 4096;
  const size_t count = primitive.destination.get_size() / sizeof(float);
  struct Sum {
    const adnn_primitive &primitive;
    const adnn_arguments &arguments;
    size_t count;
  } sum{primitive, arguments, count};
  ck_parallel(
      [](void *context, int64_t index) {
        const Sum &sum = *static_cast<const Sum *>(context);
        float *to = static_cast<float *>(sum.arguments.destination);
        const size_t first = size_t(index) * kFloats, end = std::min(sum.count, first + kFloats);
        for (size_t part = 1; part < sum.primitive.parts.size(); ++part) {
          const auto *from = reinterpret_cast<const float *>(
              static_cast<const char *>(sum.arguments.scratchpad)
              + sum.primitive.parts[part].scratchBegin);
          for (size_t place = first; place < end; ++place) to[place] += from[place];
        }
      },
      &sum, int64_t((count + kFloats - 1) / kFloats));
}

/// A run of a primitive with parts. Any thread may run any part.
struct PartsRun {
  adnn_execution &execution;
  const adnn_arguments &arguments;
  /// `lock` protects `error`, the exception of the first part that fails.
  std::mutex lock;
  std::exception_ptr error;

  void run(size_t index) {
    try {
      const auto &parts = execution.primitive->parts;
      const auto &part = parts[index];
      auto moved = [](const void *pointer, size_t bytes) -> const void * {
        return pointer ? static_cast<const char *>(pointer) + bytes : nullptr;
      };
      adnn_arguments own = arguments;
      own.source = moved(arguments.source, part.sourceBytes);
      own.weights = moved(arguments.weights, part.weightsBytes);
      own.destination =
          const_cast<void *>(moved(arguments.destination, part.destinationBytes));
      if (arguments.bias) own.bias += part.columns;
      char *scratch = static_cast<char *>(arguments.scratchpad);
      if (scratch) scratch += part.scratchBegin;
      if (execution.primitive->addsParts && index > 0) {
        require(scratch != nullptr, "no scratchpad given");
        own.destination = scratch;
        scratch += execution.primitive->resultBytes();
      }
      own.scratchpad = scratch;
      std::vector<const void *> operands;
      if (arguments.operands)
        for (const auto &operand : part.primitive->operands) {
          operands.resize(std::max(operands.size(), size_t(operand.index) + 1));
          operands[size_t(operand.index)] =
              moved(arguments.operands[operand.index], part.columns * sizeof(float));
        }
      own.operands = operands.empty() ? nullptr : operands.data();
      const OneThread one;
      execute(*execution.parts[index], own);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(lock);
      if (!error) error = std::current_exception();
    }
  }
};

}  // namespace

extern "C" {

void adnn_primitive_destroy(adnn_primitive *primitive) { delete primitive; }

const char *adnn_primitive_implementation(const adnn_primitive *primitive) {
  return primitive->implementation.c_str();
}

size_t adnn_primitive_scratchpad_bytes(const adnn_primitive *primitive) {
  return primitive->scratchBytes();
}

size_t adnn_primitive_weights_bytes(const adnn_primitive *primitive) {
  return primitive->packsWeights ? primitive->weights.get_size() : 0;
}

size_t adnn_primitive_weights_form(const adnn_primitive *primitive, char *name, size_t capacity) {
  size_t length = 0;
  if (capacity > 0) name[0] = 0;
  guarded("the layout of weights", [&] {
    if (!primitive->packsWeights) return;
    const std::string text = weightsForm(*primitive);
    length = text.size();
    if (capacity > 0) {
      const size_t copied = text.copy(name, capacity - 1);
      name[copied] = 0;
    }
  });
  return length;
}

size_t adnn_primitive_destination_bytes(const adnn_primitive *primitive) {
  return primitive->destination.get_size();
}

adnn_status adnn_pack_weights(const adnn_primitive *primitive, const float *weights, void *packed) {
  return guarded("packing weights", [&] {
    require(primitive != nullptr && primitive->packsWeights, "this primitive packs no weights");
    require(weights != nullptr && packed != nullptr, "no memory given");
    auto &engine = cpuEngine();
    dnnl::stream stream(engine);
    memory from(primitive->plainWeights, engine, const_cast<float *>(weights));
    memory to(primitive->weights, engine, packed);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  });
}

adnn_status adnn_unpack_weights(
    const adnn_primitive *primitive, const void *packed, float *weights) {
  return guarded("unpacking weights", [&] {
    require(primitive != nullptr && primitive->unpacksWeights, "this primitive computes no weights");
    require(weights != nullptr && packed != nullptr, "no memory given");
    auto &engine = cpuEngine();
    dnnl::stream stream(engine);
    memory from(primitive->destination, engine, const_cast<void *>(packed));
    memory to(primitive->plainWeights, engine, weights);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  });
}

adnn_status adnn_execution_create(const adnn_primitive *primitive, adnn_execution **result) {
  return guarded("preparing a run", [&] {
    require(primitive != nullptr && result != nullptr, "no primitive given");
    *result = nullptr;
    *result = makeExecution(*primitive).release();
  });
}

void adnn_execution_destroy(adnn_execution *execution) { delete execution; }

adnn_status adnn_execution_run(adnn_execution *e, const adnn_arguments *a) {
  return guarded("run", [&] {
    require(e != nullptr && a != nullptr, "no execution or arguments given");
    if (!e->parts.empty()) {
      PartsRun parts{*e, *a, {}, nullptr};
      ck_parallel(
          [](void *parts, int64_t index) { static_cast<PartsRun *>(parts)->run(size_t(index)); },
          &parts, int64_t(e->parts.size()));
      if (parts.error) std::rethrow_exception(parts.error);
      if (e->primitive->addsParts) addParts(*e->primitive, *a);
    } else if (e->primitive->runsOnOneThread) {
      const OneThread one;
      execute(*e, *a);
    } else {
      execute(*e, *a);
    }
  });
}

}  // extern "C"
