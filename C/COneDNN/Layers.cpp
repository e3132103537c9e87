#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

template <typename Description>
static void adopt(adnn_primitive &made, const Description &pd) {
  made.implementation = pd.impl_info_str();
  made.source = pd.src_desc();
  made.destination = pd.dst_desc();
  made.scratchpad = pd.scratchpad_desc();
}

/// A description of rank 2 or 3; `transposed` swaps how the last two axes lie.
static memory::desc matrix(memory::dims dims, memory::data_type type, bool transposed) {
  const size_t rank = dims.size();
  const auto rows = dims[rank - 2], columns = dims[rank - 1];
  memory::dims strides(rank, rows * columns);
  strides[rank - 2] = transposed ? 1 : columns;
  strides[rank - 1] = transposed ? rows : 1;
  return memory::desc(dims, type, strides);
}

extern "C" adnn_status adnn_matmul_create(const adnn_matmul *d, adnn_primitive **result) {
  return guarded("matmul", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    require(d->batch > 0 && d->rows > 0 && d->inner > 0 && d->columns > 0,
        "every dimension must be at least 1");
    auto made = std::make_unique<adnn_primitive>();
    int64_t batch = d->batch, rows = d->rows;
    const bool sharedWeights = d->broadcast_weights || d->weights_are_constant;
    if (batch > 1 && sharedWeights && !d->broadcast_source && !d->transpose_source) {
      rows *= batch;
      batch = 1;
    }
    auto shaped = [&](int64_t b, int64_t r, int64_t c) {
      return batch == 1 ? memory::dims{r, c} : memory::dims{b, r, c};
    };
    const auto full = shaped(batch, rows, d->columns);
    const auto source = matrix(shaped(d->broadcast_source ? 1 : batch, rows, d->inner),
        dataType(d->source_type), d->transpose_source);
    const auto weightDims = shaped(sharedWeights ? 1 : batch, d->inner, d->columns);
    auto weights = matrix(weightDims, dataType(d->weights_type), d->transpose_weights);
    if (d->weights_are_constant) {
      made->plainWeights = matrix(weightDims, memory::data_type::f32, d->transpose_weights);
      made->packsWeights = true;
      if (batch == 1)
        weights = memory::desc(weightDims, dataType(d->weights_type), memory::format_tag::any);
    }
    const auto destination = matrix(full, dataType(d->destination_type), false);
    if (d->has_bias) made->bias = matrix(shaped(1, 1, d->columns), memory::data_type::f32, false);
    requireCountable({full, weightDims});
    const auto attr = attributes(d->post_ops, d->post_op_count, full,
        static_cast<int>(full.size()) - 1, made->operands);
#if DNNL_VERSION_MAJOR >= 3
    const auto pd = d->has_bias
        ? dnnl::matmul::primitive_desc(
              cpuEngine(), source, weights, made->bias, destination, attr)
        : dnnl::matmul::primitive_desc(cpuEngine(), source, weights, destination, attr);
#else
    const auto desc = d->has_bias ? dnnl::matmul::desc(source, weights, made->bias, destination)
                                  : dnnl::matmul::desc(source, weights, destination);
    const dnnl::matmul::primitive_desc pd(desc, attr, cpuEngine());
#endif
    adopt(*made, pd);
    made->weights = pd.weights_desc();
    made->primitive = dnnl::matmul(pd);
    *result = made.release();
  });
}

extern "C" adnn_status adnn_pooling_create(const adnn_pooling *d, adnn_primitive **result) {
  return guarded("pooling", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    auto made = std::make_unique<adnn_primitive>();
    const auto source = pictures(
        {d->batch, d->channels, d->input_height, d->input_width}, d->type, d->layout);
    const auto destination = pictures(
        {d->batch, d->channels, d->output_height, d->output_width}, d->type, d->layout);
    const memory::dims strides{d->stride_height, d->stride_width};
    const memory::dims kernel{d->kernel_height, d->kernel_width};
    const memory::dims before{d->pad_top, d->pad_left}, after{d->pad_bottom, d->pad_right};
    requireCountable({strides, kernel, before, after});
    const auto algorithm = d->kind == ADNN_POOLING_MAXIMUM ? dnnl::algorithm::pooling_max
        : d->kind == ADNN_POOLING_AVERAGE_INCLUDE_PADDING
        ? dnnl::algorithm::pooling_avg_include_padding
        : dnnl::algorithm::pooling_avg_exclude_padding;
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const auto inference = dnnl::prop_kind::forward_inference;
    using Forward = dnnl::pooling_forward;
#if DNNL_VERSION_MAJOR >= 3
    const Forward::primitive_desc pd(cpuEngine(), inference, algorithm, source, destination,
        strides, kernel, {0, 0}, before, after, attr);
#else
    const Forward::primitive_desc pd(
        Forward::desc(
            inference, algorithm, source, destination, strides, kernel, before, after),
        attr, cpuEngine());
#endif
    adopt(*made, pd);
    made->primitive = Forward(pd);
    *result = made.release();
  });
}

extern "C" adnn_status adnn_lrn_create(const adnn_lrn *d, adnn_primitive **result) {
  return guarded("local response normalisation", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    auto made = std::make_unique<adnn_primitive>();
    const auto source = pictures({d->batch, d->channels, d->height, d->width}, d->type, d->layout);
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const auto inference = dnnl::prop_kind::forward_inference;
    const auto across = dnnl::algorithm::lrn_across_channels;
    using Forward = dnnl::lrn_forward;
#if DNNL_VERSION_MAJOR >= 3
    const Forward::primitive_desc pd(cpuEngine(), inference, across, source, source, d->size,
        d->alpha, d->beta, d->k, attr);
#else
    const Forward::primitive_desc pd(
        Forward::desc(inference, across, source, d->size, d->alpha, d->beta, d->k), attr,
        cpuEngine());
#endif
    adopt(*made, pd);
    made->primitive = Forward(pd);
    *result = made.release();
  });
}

extern "C" adnn_status adnn_reorder_create(const adnn_reorder *d, adnn_primitive **result) {
  return guarded("reorder", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    auto made = std::make_unique<adnn_primitive>();
    const memory::dims dims{d->batch, d->channels, d->height, d->width};
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const dnnl::reorder::primitive_desc pd(cpuEngine(),
        pictures(dims, d->source_type, d->source_layout), cpuEngine(),
        pictures(dims, d->destination_type, d->destination_layout), attr);
    adopt(*made, pd);
    made->primitive = dnnl::reorder(pd);
    *result = made.release();
  });
}
