#include "studio_pages.h"

// Written by Scripts/list_pages.py.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_drawing_mlmodel[] = {
#embed "pages/drawing.mlmodel"
};
static const unsigned char page_icon_svg[] = {
#embed "pages/icon.svg"
};
static const unsigned char page_index_html[] = {
#embed "pages/index.html"
};
static const unsigned char page_inference_json[] = {
#embed "pages/inference.json"
};
static const unsigned char page_js_api_js[] = {
#embed "pages/js/api.js"
};
static const unsigned char page_js_camera_js[] = {
#embed "pages/js/camera.js"
};
static const unsigned char page_js_compare_js[] = {
#embed "pages/js/compare.js"
};
static const unsigned char page_js_dom_js[] = {
#embed "pages/js/dom.js"
};
static const unsigned char page_js_download_js[] = {
#embed "pages/js/download.js"
};
static const unsigned char page_js_draw_js[] = {
#embed "pages/js/draw.js"
};
static const unsigned char page_js_film_js[] = {
#embed "pages/js/film.js"
};
static const unsigned char page_js_graph_js[] = {
#embed "pages/js/graph.js"
};
static const unsigned char page_js_live_js[] = {
#embed "pages/js/live.js"
};
static const unsigned char page_js_look_js[] = {
#embed "pages/js/look.js"
};
static const unsigned char page_js_main_js[] = {
#embed "pages/js/main.js"
};
static const unsigned char page_js_models_js[] = {
#embed "pages/js/models.js"
};
static const unsigned char page_js_optimize_js[] = {
#embed "pages/js/optimize.js"
};
static const unsigned char page_js_paint_js[] = {
#embed "pages/js/paint.js"
};
static const unsigned char page_js_store_js[] = {
#embed "pages/js/store.js"
};
static const unsigned char page_js_train_js[] = {
#embed "pages/js/train.js"
};
static const unsigned char page_js_upload_js[] = {
#embed "pages/js/upload.js"
};
static const unsigned char page_js_words_js[] = {
#embed "pages/js/words.js"
};
static const unsigned char page_openapi_json[] = {
#embed "pages/openapi.json"
};
static const unsigned char page_quotations_json[] = {
#embed "pages/quotations.json"
};
static const unsigned char page_sample_jpg[] = {
#embed "pages/sample.jpg"
};
static const unsigned char page_studio_css[] = {
#embed "pages/studio.css"
};

static const studio_page pages[] = {
  {"drawing.mlmodel", "application/octet-stream", page_drawing_mlmodel, sizeof page_drawing_mlmodel},
  {"icon.svg", "image/svg+xml", page_icon_svg, sizeof page_icon_svg},
  {"index.html", "text/html; charset=utf-8", page_index_html, sizeof page_index_html},
  {"inference.json", "application/json", page_inference_json, sizeof page_inference_json},
  {"js/api.js", "text/javascript; charset=utf-8", page_js_api_js, sizeof page_js_api_js},
  {"js/camera.js", "text/javascript; charset=utf-8", page_js_camera_js, sizeof page_js_camera_js},
  {"js/compare.js", "text/javascript; charset=utf-8", page_js_compare_js, sizeof page_js_compare_js},
  {"js/dom.js", "text/javascript; charset=utf-8", page_js_dom_js, sizeof page_js_dom_js},
  {"js/download.js", "text/javascript; charset=utf-8", page_js_download_js, sizeof page_js_download_js},
  {"js/draw.js", "text/javascript; charset=utf-8", page_js_draw_js, sizeof page_js_draw_js},
  {"js/film.js", "text/javascript; charset=utf-8", page_js_film_js, sizeof page_js_film_js},
  {"js/graph.js", "text/javascript; charset=utf-8", page_js_graph_js, sizeof page_js_graph_js},
  {"js/live.js", "text/javascript; charset=utf-8", page_js_live_js, sizeof page_js_live_js},
  {"js/look.js", "text/javascript; charset=utf-8", page_js_look_js, sizeof page_js_look_js},
  {"js/main.js", "text/javascript; charset=utf-8", page_js_main_js, sizeof page_js_main_js},
  {"js/models.js", "text/javascript; charset=utf-8", page_js_models_js, sizeof page_js_models_js},
  {"js/optimize.js", "text/javascript; charset=utf-8", page_js_optimize_js, sizeof page_js_optimize_js},
  {"js/paint.js", "text/javascript; charset=utf-8", page_js_paint_js, sizeof page_js_paint_js},
  {"js/store.js", "text/javascript; charset=utf-8", page_js_store_js, sizeof page_js_store_js},
  {"js/train.js", "text/javascript; charset=utf-8", page_js_train_js, sizeof page_js_train_js},
  {"js/upload.js", "text/javascript; charset=utf-8", page_js_upload_js, sizeof page_js_upload_js},
  {"js/words.js", "text/javascript; charset=utf-8", page_js_words_js, sizeof page_js_words_js},
  {"openapi.json", "application/json", page_openapi_json, sizeof page_openapi_json},
  {"quotations.json", "application/json", page_quotations_json, sizeof page_quotations_json},
  {"sample.jpg", "image/jpeg", page_sample_jpg, sizeof page_sample_jpg},
  {"studio.css", "text/css; charset=utf-8", page_studio_css, sizeof page_studio_css},
};

const studio_page *studio_pages(size_t *count) {
  *count = 26;
  return pages;
}
