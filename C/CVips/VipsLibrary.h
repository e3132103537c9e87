// The functions of libvips by name. The library is loaded when it is first needed.

#ifndef VIPS_LIBRARY_H
#define VIPS_LIBRARY_H

#include <vips/vips.h>

#define CVIPS_FUNCTIONS(F) \
  F(bandjoin2) F(cache_set_max) F(cache_set_max_files) \
  F(cache_set_max_mem) F(cast) F(colourspace) F(concurrency_set) F(copy) F(error_buffer_copy) \
  F(error_clear) F(extract_band) F(foreign_find_load_source) F(gifsave_buffer) \
  F(heifsave_buffer) F(icc_export) F(icc_import) F(icc_transform) F(image_get_array_int) \
  F(image_get_bands) F(image_get_blob) F(image_get_format) F(image_get_height) F(image_get_int) \
  F(image_get_interpretation) F(image_get_orientation) F(image_get_string) F(image_get_typeof) \
  F(image_get_width) F(image_get_xres) F(image_get_yres) F(image_hasalpha) F(image_map) \
  F(image_new_from_buffer) F(image_new_from_memory) F(image_new_from_source) F(image_remove) \
  F(image_set) F(image_set_array_int) F(image_set_blob_copy) F(image_set_int) \
  F(image_write_to_memory) F(init) F(jpegload_buffer) F(pngsave_buffer) F(source_new_from_file) \
  F(source_new_from_memory) F(source_sniff) F(tiffsave_buffer) F(version) F(webpsave_buffer)

/// The function pointers of libvips, one for each name in CVIPS_FUNCTIONS.
typedef struct {
#define CVIPS_MEMBER(name) __typeof__(vips_##name) *name;
  CVIPS_FUNCTIONS(CVIPS_MEMBER)
#undef CVIPS_MEMBER
} VipsFunctions;

/// The functions of the loaded library. They are NULL before cvips_load.
extern VipsFunctions cvips_functions;
#define vips cvips_functions

/// Loads libvips and starts it without its modules. The modules would load about 90 more libraries (Poppler,
/// ImageMagick, OpenSlide) for formats that Atelier does not read. Returns non-zero on failure. Call it once.
int cvips_load(void);

/// Disables the loaders that libvips calls untrusted, if this version of libvips can.
void cvips_block_untrusted(void);

/// Returns the reason why the library could not be loaded. Free it with cvips_free.
char *cvips_load_error(void);

/// Loads one of libvips' modules at the first call. If the module does not exist, this libvips either has the module's
/// formats built in or does not support them.
void cvips_load_module(const char *name);

#endif
