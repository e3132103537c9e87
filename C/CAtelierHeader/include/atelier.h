#ifndef ATELIER_H
#define ATELIER_H

/*
 * libatelier.so: Core ML models on Linux, for any language that can call C.
 *
 * A program loads a model, passes named inputs and gets named outputs:
 *
 *     atelier_model *model;
 *     char *sentence;
 *     if (atelier_model_load("HeightWeight_model.mlmodel", NULL, &model, &sentence)) {
 *       fprintf(stderr, "%s\n", sentence);
 *       exit(1);
 *     }
 *     double height = 70;
 *     int64_t shape[1] = {1};
 *     atelier_feature input = {.name = "height", .kind = ATELIER_ARRAY, .type = ATELIER_FLOAT64,
 *                              .data = &height, .count = 1, .shape = shape};
 *     atelier_results *results;
 *     if (atelier_predict(model, &input, 1, &results, &sentence)) { … }
 *     const atelier_feature *outputs = atelier_results_features(results);
 *     printf("%s: %g\n", outputs[0].name, *(const double *)outputs[0].data);
 *     atelier_results_release(results);
 *     atelier_model_release(model);
 *
 * Errors. Every function that can fail returns an atelier_status, which is 0 on success. On failure, the function sets
 * *sentence to one UTF-8 sentence that says what is wrong and what to do. Free the sentence with atelier_free. If you
 * do not need the sentence, pass NULL. Output arguments are set on success only.
 *
 * Threads. All functions may be called on any thread. One model can predict on many threads at once.
 * Do not release a model or results while another thread uses them.
 *
 * Memory. The caller owns the arguments, and the library reads them only until the call returns. Free each value that a
 * call returns with the release function of the value's type, or with atelier_free. Strings are UTF-8 and end with a
 * zero byte. String values with a length may also contain zero bytes. Output strings always have a length.
 *
 * Binding to other languages. The structs have no unions, bit fields or packing. All integers are int32_t or int64_t.
 * The fields are in an order that needs no padding. The kind of a value decides which fields the value uses. The
 * library ignores the other fields of an input, and sets the other fields of an output to 0. Start with zeroed memory
 * and set the fields that the kind uses.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A new function, or a new field at the end of a struct, increases the version. */
#define ATELIER_INTERFACE_VERSION 5

/* The result of a call. The numbers are those of Apple's MLModelError, except for ATELIER_GENERIC. */
typedef int32_t atelier_status;
enum {
  ATELIER_GENERIC = -1,      /* an error that no other code describes */
  ATELIER_SUCCESS = 0,
  ATELIER_FEATURE_TYPE = 1,  /* an input is missing, unknown, or does not match the model */
  ATELIER_IO = 3,            /* a file cannot be read or written, or is not a model */
  ATELIER_CUSTOM_LAYER = 4,  /* a custom layer cannot be created, or failed */
  ATELIER_CUSTOM_MODEL = 5,  /* a custom model cannot be created, or failed */
  ATELIER_PARAMETERS = 7     /* an argument is wrong, such as an unknown function of the model */
};

/* The devices on which a model may run. ATELIER_CPU_ONLY computes in float32. With the other values, a model may
 * compute in the floating-point type that is fastest on the machine. The numbers are those of MLComputeUnits. */
enum {
  ATELIER_CPU_ONLY = 0,
  ATELIER_CPU_AND_GPU = 1,
  ATELIER_ALL = 2,
  ATELIER_CPU_AND_NEURAL_ENGINE = 3
};

/* The kind of a feature's value. The comment on each kind lists the fields of atelier_feature that the kind uses. The
 * numbers are those of Apple's MLFeatureType. */
enum {
  ATELIER_UNDEFINED = 0,   /* no value; allowed for optional inputs */
  ATELIER_INT64 = 1,       /* integer */
  ATELIER_DOUBLE = 2,      /* number */
  ATELIER_STRING = 3,      /* text, count (bytes) */
  ATELIER_IMAGE = 4,       /* data, type, width, height, bytes_per_row */
  ATELIER_ARRAY = 5,       /* data, type, count (axes), shape, strides */
  ATELIER_DICTIONARY = 6,  /* data (doubles), keys, type (of the keys), count (entries) */
  ATELIER_SEQUENCE = 7     /* keys (the elements), type (of the elements), count (elements) */
};

/* The type of an array's elements. The numbers are those of Apple's MLMultiArrayDataType. */
enum {
  ATELIER_FLOAT16 = 65552,
  ATELIER_FLOAT32 = 65568,
  ATELIER_FLOAT64 = 65600,
  ATELIER_INT32 = 131104,
  ATELIER_INT8 = 131080
};

/* The pixel format of an image. Rows run from top to bottom. Unless stated otherwise, a channel has 8 bits, with values
 * 0…255 in sRGB. Output images are ATELIER_BGRA, ATELIER_GRAY or ATELIER_GRAY_FLOAT16. */
enum {
  ATELIER_BGRA = 1,
  ATELIER_RGBA = 2,
  ATELIER_RGB = 3,
  ATELIER_BGR = 4,
  ATELIER_GRAY = 5,
  ATELIER_GRAY_FLOAT16 = 6  /* float16, 0…255 */
};

/* A named value. The kind decides which of the other fields the value uses. */
typedef struct atelier_feature {
  const char *name;
  int32_t kind;            /* ATELIER_INT64, … */
  int32_t type;            /* the type of an array's elements, the pixel format of an image, or the type of a
                              dictionary's keys or a sequence's elements (ATELIER_INT64 or ATELIER_STRING) */
  int64_t integer;         /* the value of an ATELIER_INT64 */
  double number;           /* the value of an ATELIER_DOUBLE */
  const char *text;        /* the value of an ATELIER_STRING. count is its length in bytes. If count is 0, the
                              text ends at its first zero byte */
  const void *data;        /* the first element of an array, the first row of an image, the
                              doubles of a dictionary */
  const void *keys;        /* the keys of a dictionary or the elements of a sequence: int64_t[count] or
                              const char *[count] */
  int64_t count;           /* the number of an array's axes, a dictionary's entries, a sequence's elements or
                              a text's bytes */
  const int64_t *shape;    /* the length of each axis of an array. For string keys, the length of each key in
                              bytes, or NULL if each key ends at its first zero byte */
  const int64_t *strides;  /* the distance in bytes between neighbouring elements along each axis; may be negative.
                              NULL for a contiguous array in row-major order */
  int64_t width;           /* the width of an image in pixels */
  int64_t height;
  int64_t bytes_per_row;   /* the bytes from one row of an image to the next; 0 for rows without gaps */
} atelier_feature;

/* One of a model's weight files, as bytes in memory. The name is the path of the file in the model package. */
typedef struct atelier_blob {
  const char *name;
  const void *bytes;
  int64_t count;
} atelier_blob;

/* The options for loading a model. Set compute_units. The default of every other field is 0 or NULL. A NULL pointer to
 * the options means ATELIER_ALL and the default of every other field. */
typedef struct atelier_options {
  int32_t compute_units;      /* ATELIER_CPU_ONLY, … */
  int32_t thread_count;       /* 0: one per core */
  int64_t memory_limit;       /* memory limit of a prediction in bytes; 0: all free memory */
  int64_t allows_any_size;    /* not 0: allows input sizes that the description does not declare */
  const char *function_name;  /* the function to load; NULL: the model's default function */
  int64_t quantizes_inputs;   /* not 0: linear layers quantise their inputs to int8 while the model runs */
  int64_t widens_outputs;     /* not 0: outputs that an ML Program declares as float16 are float32 */
} atelier_options;

typedef struct atelier_model atelier_model;
typedef struct atelier_results atelier_results;
typedef struct atelier_state atelier_state;

/* Returns the interface version of the library: the value of ATELIER_INTERFACE_VERSION when the library was built. */
int32_t atelier_interface_version(void);

/* Returns the newest supported version of Core ML's model specification. */
int32_t atelier_newest_specification_version(void);

/* Frees a sentence, a description or a path. NULL is allowed. */
void atelier_free(char *text);

/* Loads a .mlmodel file, a .mlpackage folder, or a .mlmodelc folder that atelier_model_compile made. The library maps
 * the file into memory. While the model exists, you may remove the file, but you must not change it. */
atelier_status atelier_model_load(const char *path, const atelier_options *options,
                                  atelier_model **model, char **sentence);

/* Loads a model from the bytes of a .mlmodel file and of the model's weight files. The bytes are copied. */
atelier_status atelier_model_load_memory(const void *bytes, int64_t count, const atelier_blob *blobs,
                                         int64_t blob_count, const atelier_options *options,
                                         atelier_model **model, char **sentence);

/* Releases a model. NULL is allowed. */
void atelier_model_release(atelier_model *model);

/* Returns the inputs, outputs and metadata of the model as JSON:
 *
 *     {"inputs": [FEATURE, …], "outputs": [FEATURE, …], "predictedFeatureName": "label",
 *      "predictedProbabilitiesName": "labelProbs", "classLabels": ["cat", …] or [1, …],
 *      "isUpdatable": false, "metadata": {"author": "…", …}}
 *
 * A FEATURE is
 *
 *     {"name": "…", "kind": "image", "isOptional": false,
 *      "elementType": "float32", "shape": [1, 3], "allowedShapes": [[1, 3], …],
 *      "allowedLengths": [[1, 10], [3, 3]],         for arrays
 *      "format": "BGRA", "width": 8, "height": 8,
 *      "allowedWidths": [8, 16], …                  for images
 *      "keyType": "string"}                         for dictionaries and sequences
 *
 * Entries that a model does not have are omitted. Free *json with atelier_free. */
atelier_status atelier_model_describe(const atelier_model *model, char **json, char **sentence);

/* Predicts with a model. The inputs may be in any order. */
atelier_status atelier_predict(const atelier_model *model, const atelier_feature *inputs,
                               int64_t input_count, atelier_results **results, char **sentence);

/* Predicts for batch_count lists of inputs. inputs[i] has input_counts[i] values. On success, sets all of
 * results[0 … batch_count - 1]. On failure, sets none. */
atelier_status atelier_predict_batch(const atelier_model *model,
                                     const atelier_feature *const *inputs,
                                     const int64_t *input_counts, int64_t batch_count,
                                     atelier_results **results, char **sentence);

/* Makes the state of a model, filled with zeros. The state of a model without states is empty. A state may
 * outlive its model. */
atelier_status atelier_state_make(const atelier_model *model, atelier_state **state, char **sentence);

/* Releases a state. NULL is allowed. */
void atelier_state_release(atelier_state *state);

/* Predicts and updates a state of this model. Predictions with the same state run one after another. */
atelier_status atelier_predict_with_state(const atelier_model *model, atelier_state *state,
                                          const atelier_feature *inputs, int64_t input_count,
                                          atelier_results **results, char **sentence);

/* Copies the state's array with the given name. The copy is the only value of *results. */
atelier_status atelier_state_read(const atelier_state *state, const char *name,
                                  atelier_results **results, char **sentence);

/* Copies the elements of `value` into the state's array of the same name. The value and the array must have the same
 * shape. Elements are converted to the type of the array. */
atelier_status atelier_state_write(atelier_state *state, const atelier_feature *value,
                                   char **sentence);

/* atelier_results_count returns the number of outputs of a prediction. atelier_results_features returns the outputs,
 * which are valid until the results are released. Arrays have the element type that the model declares, but for
 * `widens_outputs`. */
int64_t atelier_results_count(const atelier_results *results);
const atelier_feature *atelier_results_features(const atelier_results *results);

/* Releases the results of a prediction and all memory that their values point to. NULL is allowed. */
void atelier_results_release(atelier_results *results);

/* Returns the structure of a model as JSON:
 *
 *     {"layers": [{"name": "…", "type": "convolution", "inputs": ["…"], "outputs": ["…"],
 *                  "number": 0}, …]}                                      a neural network
 *     {"functions": {"main": {"inputs": ["…"], "block": BLOCK}, …}}     an ML Program
 *     {"names": ["…"], "models": [STRUCTURE, …]}                          a pipeline
 *     {}                                                                  anything else
 *
 * A BLOCK is {"inputs": ["…"], "outputs": ["…"], "operations": [OPERATION, …]}, and an OPERATION is
 *
 *     {"operator": "conv", "inputs": {"x": ["…"], "pad": [null]}, "outputs": ["…"],
 *      "blocks": [BLOCK, …], "number": 7}
 *
 * null means a constant value in the program. "number" identifies a layer or an operation: it is the same every time
 * that the model is read. Free *json with atelier_free. */
atelier_status atelier_model_structure(const char *path, char **json, char **sentence);

/* Loads a model and returns its structure like atelier_model_structure, with two more entries. "isComputed" of a layer
 * or operation is false if it is a constant, or if it belongs to a function that the options do not select. "weight" of
 * an operation is the operation's fraction of the function's estimated cost, 0 to 1. */
atelier_status atelier_model_plan(const char *path, const atelier_options *options, char **json,
                                  char **sentence);

/* Compiles a .mlmodel or .mlpackage into a new .mlmodelc folder in the temporary directory. The caller moves
 * or removes the folder. Free *folder with atelier_free. */
atelier_status atelier_model_compile(const char *path, char **folder, char **sentence);

/* A function that the converter calls for each layer that it does not know. Such a layer runs code of the model's
 * author, or has an unknown type. The function returns a custom layer for the layer. The argument `layer` is
 *
 *     {"name": "…", "type": "Lambda", "function": "…" or null, "configuration": {…}}
 *
 * The result is NULL if the function does not know the layer either. Otherwise, the result is
 *
 *     {"class": "…", "description": "…", "parameters": {"…": 1}, "weights": [[0.5, …], …],
 *      "shape": [C, H, W]}
 *
 * All entries except "class" are optional. Without "weights", the custom layer gets the weights of the original layer.
 * "shape" is the shape of the custom layer's output. The result must stay valid until the next call or the end of the
 * conversion. */
typedef const char *(*atelier_layer_question)(const char *layer, void *context);

/* Converts a model of another format (Keras, Caffe and others) to Core ML. The extension of the target path selects the
 * Core ML format that the converter writes. The options are NULL or
 *
 *     {"companions": ["weights.h5"], "extents": {"input": [1, 3, 224, 224]}, "adds_custom_layers": true}
 *
 * `question` resolves layers that the converter does not know. It may be NULL. */
atelier_status atelier_convert(const char *source, const char *target, const char *options,
                               atelier_layer_question question, void *context, char **sentence);

/* Compresses each weight of a model to 16 bits, or to 1 to 8 bits. Source and target are paths. If the source is an ML
 * Program, the target is a `.mlpackage`. The options are JSON. All entries except "bits" are optional:
 *
 *     {"bits": 8, "mode": "linear", "group_size": 32, "sparsity": 0.5, "layers": ["conv1"], "table": [0, 1]}
 *
 * "mode" is linear, linear-symmetric or kmeans. "table" is a lookup table of 2 ** bits numbers. A table replaces the
 * mode. */
atelier_status atelier_compress(const char *source, const char *target, const char *options,
                                char **sentence);

/* Writes the network of one style, or of a mixture of styles such as `scream:0.6,great-wave:0.4`, of a model of several
 * styles, which `atelier train` writes. Source and target are paths of `.mlmodel` files. `strength` is 1 for the style,
 * 0 for the photo, and up to 1.5 for more than the style. */
atelier_status atelier_export_style(const char *source, const char *style, double strength,
                                    const char *target, char **sentence);

/* A tensor in a call of a custom layer: contiguous floats in row-major order. The pointers in this struct are valid
 * only during the call. Copy elements that you need later. */
typedef struct atelier_tensor {
  float *data;           /* NULL if only the shape is needed */
  const int64_t *shape;  /* the length of each axis */
  int64_t rank;
} atelier_tensor;

/* The maximum number of axes of a custom layer's output. */
#define ATELIER_MAXIMUM_RANK 8

/* The class of a custom layer in C. All functions get `context`. `shapes` and `evaluate` return 0 for success, and any
 * other number for a failure, which the prediction then reports. Two threads never call the same object at once. If an
 * object is busy, a prediction on another thread makes another object. If a layer predicts with the model that contains
 * the layer, this nested prediction uses the same object. */
typedef struct atelier_layer_class {
  /* Makes an object of the class. Returns NULL on failure. The parameters are a JSON object. */
  void *(*make)(const char *layer_name, const char *parameters, const atelier_blob *weights,
                int64_t weight_count, void *context);
  /* Computes the shapes of `count` outputs. Writes the rank of output i to ranks[i], and the lengths of the output's
   * axes to shapes[i * ATELIER_MAXIMUM_RANK] and the following elements. */
  int32_t (*shapes)(void *object, const atelier_tensor *inputs, int64_t input_count, int64_t *shapes,
                    int64_t *ranks, int64_t count, void *context);
  /* Computes the outputs. */
  int32_t (*evaluate)(void *object, const atelier_tensor *inputs, int64_t input_count,
                      const atelier_tensor *outputs, int64_t count, void *context);
  /* Releases an object. May be NULL. */
  void (*release)(void *object, void *context);
  void *context;
} atelier_layer_class;

/* Registers a class of custom layers under a class name. Models that are loaded later use the class. The call copies
 * the struct `layer`. The memory that the functions of the class use must stay valid. */
atelier_status atelier_layer_register(const char *class_name, const atelier_layer_class *layer,
                                      char **sentence);

/* Loads a shared library of custom layers and calls its function
 *
 *     void atelier_plugin(atelier_status (*add)(const char *, const atelier_layer_class *, char **));
 *
 * The function `atelier_plugin` registers the classes of the library by calling `add`. */
atelier_status atelier_plugin_load(const char *path, char **sentence);

#ifdef __cplusplus
}
#endif

#endif
