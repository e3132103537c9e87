// libvips as a library that is loaded when it is needed: its functions by name.

#ifndef VIPS_LIBRARY_H
#define VIPS_LIBRARY_H

#include <vips/vips.h>

#define CVIPS_FUNCTIONS(F) \
  F(bandjoin2) F(block_untrusted_set) F(cache_set_max) F(cache_set_max_files) \
  F(cache_set_max_mem) F(cast) F(colourspace) F(concurrency_set) F(copy) \
  F(error_buffer_copy) F(error_clear) F(extract_band) F(foreign_find_load_source) \
  F(icc_transform) F(image_get_bands) F(image_get_blob) F(image_get_format) \
  F(image_get_height) F(image_get_int) F(image_get_interpretation) F(image_get_orientation) \
  F(image_get_string) F(image_get_typeof) F(image_get_width) F(image_hasalpha) \
  F(image_new_from_memory) F(image_new_from_source) F(image_set_blob_copy) \
  F(image_write_to_memory) F(init) F(pngsave_buffer) F(source_new_from_file) \
  F(source_new_from_memory) F(source_sniff) F(tiffsave_buffer) F(version) \
  F(webpsave_buffer)

/// The functions.
typedef struct {
#define CVIPS_MEMBER(name) __typeof__(vips_##name) *name;
  CVIPS_FUNCTIONS(CVIPS_MEMBER)
#undef CVIPS_MEMBER
} VipsFunctions;

/// NULL before cvips_load.
extern VipsFunctions cvips_functions;
#define vips cvips_functions

/// Loads libvips and starts it without its modules, which bring as many libraries again (Poppler, ImageMagick,
/// OpenSlide) for formats that are not read. Non-zero where that failed. Called once.
int cvips_load(void);

/// Why the library could not be loaded. Free with cvips_free.
char *cvips_load_error(void);

/// Loads one of libvips' modules once; where there is none of the name, libvips has what it holds built in, or
/// cannot do it.
void cvips_load_module(const char *name);

#endif
