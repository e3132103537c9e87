#include <algorithm>
#include <cstring>
#include <sstream>

#include "Primitive.hpp"

using dnnl::memory;

namespace {

template <typename Number>
void write(std::ostream &words, const char *name, const Number *values, int count) {
  words << ' ' << name;
  for (int i = 0; i < count; ++i) words << (i == 0 ? ' ' : 'x') << static_cast<int64_t>(values[i]);
}

/// All that says where a value lies. Forms that cannot be looked into are named after the primitive, and so
/// are equal to no other's.
void write(std::ostream &words, const memory::desc &form, const adnn_primitive *primitive) {
#if DNNL_VERSION_MAJOR >= 3
  words << "type " << static_cast<int>(form.get_data_type());
  const auto dims = form.get_dims();
  write(words, "of", dims.data(), static_cast<int>(dims.size()));
  if (form.get_format_kind() != memory::format_kind::blocked) {
    words << " as " << primitive;
    return;
  }
  const auto padded = form.get_padded_dims(), strides = form.get_strides();
  const auto blocks = form.get_inner_blks(), axes = form.get_inner_idxs();
  write(words, "in", padded.data(), static_cast<int>(padded.size()));
  write(words, "by", strides.data(), static_cast<int>(strides.size()));
  write(words, "blocks", blocks.data(), static_cast<int>(blocks.size()));
  write(words, "along", axes.data(), static_cast<int>(axes.size()));
  words << " bytes " << form.get_size();
#else
  const dnnl_memory_desc_t &d = form.data;
  words << "type " << static_cast<int>(d.data_type);
  write(words, "of", d.dims, d.ndims);
  if (d.format_kind != dnnl_blocked || d.extra.flags != dnnl_memory_extra_flag_none) {
    words << " as " << primitive;
    return;
  }
  const dnnl_blocking_desc_t &blocking = d.format_desc.blocking;
  write(words, "in", d.padded_dims, d.ndims);
  write(words, "by", blocking.strides, d.ndims);
  write(words, "blocks", blocking.inner_blks, blocking.inner_nblks);
  write(words, "along", blocking.inner_idxs, blocking.inner_nblks);
  words << " bytes " << form.get_size();
#endif
}

}  // namespace

extern "C" size_t adnn_primitive_weights_format(
    const adnn_primitive *primitive, char *words, size_t capacity) {
  size_t length = 0;
  atelier::guarded("the form of weights", [&] {
    std::ostringstream text;
    write(text, primitive->weights, primitive);
    text << " from ";
    write(text, primitive->plainWeights, primitive);
    const std::string all = text.str();
    length = all.size();
    if (capacity == 0) return;
    const size_t count = std::min(length, capacity - 1);
    std::memcpy(words, all.data(), count);
    words[count] = 0;
  });
  return length;
}
