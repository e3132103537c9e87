#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

/// The memory objects of one caller; only their data pointers change from run to run.
struct adnn_execution {
  const adnn_primitive *primitive;
  dnnl::stream stream;
  memory source, weights, bias, destination, scratchpad;
  std::vector<memory> operands;
  std::vector<dnnl_exec_arg_t> arguments;
};

static int rankOf(const memory::desc &description) {
#if DNNL_VERSION_MAJOR >= 3
  return description.get_ndims();
#else
  return description.data.ndims;
#endif
}

/// The layout of a description; one that nothing is known of where it cannot be found out.
static adnn_layout knownLayout(const memory::desc &description) {
  adnn_layout layout = ADNN_OTHER;
  guarded("layout", [&] { layout = layoutOf(description, rankOf(description)); });
  return layout;
}

static bool isEmpty(const memory::desc &description) { return description.get_size() == 0; }

extern "C" {

void adnn_primitive_destroy(adnn_primitive *primitive) { delete primitive; }

const char *adnn_primitive_implementation(const adnn_primitive *primitive) {
  return primitive->implementation.c_str();
}

size_t adnn_primitive_scratchpad_bytes(const adnn_primitive *primitive) {
  return primitive->scratchpad.get_size();
}

size_t adnn_primitive_weights_bytes(const adnn_primitive *primitive) {
  return primitive->packsWeights ? primitive->weights.get_size() : 0;
}

size_t adnn_primitive_source_bytes(const adnn_primitive *primitive) {
  return primitive->source.get_size();
}

size_t adnn_primitive_destination_bytes(const adnn_primitive *primitive) {
  return primitive->destination.get_size();
}

adnn_layout adnn_primitive_source_layout(const adnn_primitive *primitive) {
  return knownLayout(primitive->source);
}

adnn_layout adnn_primitive_destination_layout(const adnn_primitive *primitive) {
  return knownLayout(primitive->destination);
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
    require(primitive != nullptr && primitive->unpacksWeights, "this primitive makes no weights");
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
    auto &engine = cpuEngine();
    auto made = std::make_unique<adnn_execution>();
    made->primitive = primitive;
    made->stream = dnnl::stream(engine);
    auto take = [&](const memory::desc &description, int argument) {
      memory object(description, engine, DNNL_MEMORY_NONE);
      made->arguments.push_back({argument, object.get()});
      return object;
    };
    made->source = take(primitive->source, primitive->sourceArgument);
    made->destination = take(primitive->destination, primitive->destinationArgument);
    if (!isEmpty(primitive->weights)) 
      made->weights = take(primitive->weights, primitive->weightsArgument);
    if (!isEmpty(primitive->bias)) made->bias = take(primitive->bias, DNNL_ARG_BIAS);
    if (!isEmpty(primitive->scratchpad))
      made->scratchpad = take(primitive->scratchpad, DNNL_ARG_SCRATCHPAD);
    for (const auto &operand : primitive->operands)
      made->operands.push_back(take(operand.description, operand.argument));
    *result = made.release();
  });
}

void adnn_execution_destroy(adnn_execution *execution) { delete execution; }

adnn_status adnn_execution_run(adnn_execution *e, const adnn_arguments *a) {
  return guarded("run", [&] {
    require(e != nullptr && a != nullptr && a->source != nullptr && a->destination != nullptr,
        "no source or destination given");
    bool complete = true;
    dnnl_status_t status = dnnl_success;
    auto point = [&](memory &object, const void *data) {
      complete = complete && data != nullptr;
      if (status == dnnl_success)
        status = dnnl_memory_set_data_handle(object.get(), const_cast<void *>(data));
    };
    point(e->source, a->source);
    point(e->destination, a->destination);
    if (e->weights) point(e->weights, a->weights);
    if (e->bias) point(e->bias, a->bias);
    if (e->scratchpad) point(e->scratchpad, a->scratchpad);
    for (size_t index = 0; index < e->operands.size(); ++index)
      point(e->operands[index],
          a->operands ? a->operands[e->primitive->operands[index].index] : nullptr);
    require(complete, "weights, bias, scratchpad or a post-op's operand is missing");
    if (status == dnnl_success)
      status = dnnl_primitive_execute(e->primitive->primitive.get(), e->stream.get(),
          static_cast<int>(e->arguments.size()), e->arguments.data());
    if (status == dnnl_success) status = dnnl_stream_wait(e->stream.get());
    if (status != dnnl_success) throw dnnl::error(status, e->primitive->implementation.c_str());
  });
}

}  // extern "C"
