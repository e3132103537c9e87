#ifndef ATELIER_H
#define ATELIER_H

/*
 * libatelier.so: Core ML models on Linux, for any language that can call C.
 *
 * A program loads a model, hands over named values and gets named values back:
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
 * Errors. Every function that can fail returns an atelier_status, which is 0 when all went well.
 * Otherwise *sentence is one sentence in UTF-8 that says what is wrong and the way out; give it
 * back with atelier_free. Pass NULL for sentence where it is not wanted. Outputs are set only by
 * a success.
 *
 * Threads. All functions may be called on any thread. One model may predict on many threads at
 * once. A model, or results, must not be released while another thread still uses them.
 *
 * Memory. What a call takes in stays the caller's and is read only until the call returns. What a
 * call gives out is given back with the release function of its type, or with atelier_free.
 * Texts are UTF-8 and end with a zero byte. Those of values may hold zero bytes too where their length
 * is given; it is always given on the way out.
 *
 * Binding. The structs have no unions, bit fields or packing: all integers are int32_t or int64_t,
 * in an order that leaves no gaps. Fields that a value's kind does not use are ignored on the way in
 * and 0 on the way out, so begin with zeroed memory.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when a function or a field is added at the end. */
#define ATELIER_INTERFACE_VERSION 3

/* What went wrong. The numbers are those of Apple's MLModelError, but for the last. */
typedef int32_t atelier_status;
enum {
  ATELIER_GENERIC = -1,      /* anything that none of the others says */
  ATELIER_SUCCESS = 0,
  ATELIER_FEATURE_TYPE = 1,  /* an input is missing, unknown, or not what the model asks for */
  ATELIER_IO = 3,            /* a file cannot be read or written, or is not a model */
  ATELIER_CUSTOM_LAYER = 4,  /* a custom layer cannot be made, or failed */
  ATELIER_CUSTOM_MODEL = 5,  /* a custom model cannot be made, or failed */
  ATELIER_PARAMETERS = 7     /* an argument is wrong: a function that the model does not have */
};

/* Where a model may compute. ATELIER_CPU_ONLY computes in float32; the others may compute in the
 * fastest type that the machine has for it. The numbers are those of Apple's MLComputeUnits. */
enum {
  ATELIER_CPU_ONLY = 0,
  ATELIER_CPU_AND_GPU = 1,
  ATELIER_ALL = 2,
  ATELIER_CPU_AND_NEURAL_ENGINE = 3
};

/* What a feature's value is. The numbers are those of Apple's MLFeatureType. */
enum {
  ATELIER_UNDEFINED = 0,   /* left out; allowed for optional inputs */
  ATELIER_INT64 = 1,       /* integer */
  ATELIER_DOUBLE = 2,      /* number */
  ATELIER_STRING = 3,      /* text */
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

/* The pixels of an image. Rows run from top to bottom, 8 bits a channel where nothing else is said,
 * 0…255 in sRGB as files have them. Images come out as ATELIER_BGRA, ATELIER_GRAY or
 * ATELIER_GRAY_FLOAT16. */
enum {
  ATELIER_BGRA = 1,
  ATELIER_RGBA = 2,
  ATELIER_RGB = 3,
  ATELIER_BGR = 4,
  ATELIER_GRAY = 5,
  ATELIER_GRAY_FLOAT16 = 6  /* 0…255 */
};

/* One named value. Which fields hold it depends on its kind. */
typedef struct atelier_feature {
  const char *name;
  int32_t kind;            /* ATELIER_INT64, … */
  int32_t type;            /* of elements, pixels, keys (ATELIER_INT64 or ATELIER_STRING) */
  int64_t integer;         /* an ATELIER_INT64 */
  double number;           /* an ATELIER_DOUBLE */
  const char *text;        /* an ATELIER_STRING; count is its length in bytes, 0 for up to the zero byte */
  const void *data;        /* the first element of an array, the first row of an image, the
                              doubles of a dictionary */
  const void *keys;        /* int64_t[count] or const char *[count] */
  int64_t count;           /* axes of an array, entries, elements, bytes of a text */
  const int64_t *shape;    /* the length of each axis; of keys that are texts the bytes of each, or NULL
                              where all end at their zero byte */
  const int64_t *strides;  /* from one element to the next along each axis, in bytes; may be
                              negative; NULL for an array without gaps in row-major order */
  int64_t width;           /* of an image, in pixels */
  int64_t height;
  int64_t bytes_per_row;   /* 0 for rows without gaps */
} atelier_feature;

/* The weight file of a model from memory, under the path that the model calls it. */
typedef struct atelier_blob {
  const char *name;
  const void *bytes;
  int64_t count;
} atelier_blob;

/* How a model is loaded. Zeroed memory but for compute_units is the default configuration; so is
 * NULL in place of the options, with ATELIER_ALL. */
typedef struct atelier_options {
  int32_t compute_units;      /* ATELIER_CPU_ONLY, … */
  int32_t thread_count;       /* 0: one a core */
  int64_t memory_limit;       /* bytes that a prediction may take; 0: what the machine has */
  int64_t allows_any_size;    /* not 0: inputs of sizes that the description does not declare */
  const char *function_name;  /* of a model with several functions; NULL: its default one */
} atelier_options;

typedef struct atelier_model atelier_model;
typedef struct atelier_results atelier_results;
typedef struct atelier_state atelier_state;

/* The version of the interface that the library has: ATELIER_INTERFACE_VERSION when it was built. */
int32_t atelier_interface_version(void);

/* The newest version of Core ML's specification that models may have. */
int32_t atelier_newest_specification_version(void);

/* Gives back a sentence, a description or a path. NULL is fine. */
void atelier_free(char *text);

/* Loads a .mlmodel file, a .mlpackage folder, or a .mlmodelc folder that was compiled here. The file
 * is mapped, and may be removed while the model lives, but not changed. */
atelier_status atelier_model_load(const char *path, const atelier_options *options,
                                  atelier_model **model, char **sentence);

/* Loads the bytes of a .mlmodel file, with the weight files that it needs. The bytes are copied. */
atelier_status atelier_model_load_memory(const void *bytes, int64_t count, const atelier_blob *blobs,
                                         int64_t blob_count, const atelier_options *options,
                                         atelier_model **model, char **sentence);

/* Gives back a model. NULL is fine. */
void atelier_model_release(atelier_model *model);

/* What the model takes and gives, as JSON:
 *
 *     {"inputs": [FEATURE, …], "outputs": [FEATURE, …], "predictedFeatureName": "label",
 *      "predictedProbabilitiesName": "labelProbs", "classLabels": ["cat", …] or [1, …],
 *      "isUpdatable": false, "metadata": {"author": "…", …}}
 *
 * where a FEATURE is
 *
 *     {"name": "…", "kind": "image", "isOptional": false,
 *      "elementType": "float32", "shape": [1, 3], "allowedShapes": [[1, 3], …],
 *      "allowedLengths": [[1, 10], [3, 3]],         for arrays
 *      "format": "BGRA", "width": 8, "height": 8,
 *      "allowedWidths": [8, 16], …                  for images
 *      "keyType": "string"}                         for dictionaries and sequences
 *
 * What a model does not have is left out. Give *json back with atelier_free. */
atelier_status atelier_model_describe(const atelier_model *model, char **json, char **sentence);

/* Predicts. Inputs may come in any order. */
atelier_status atelier_predict(const atelier_model *model, const atelier_feature *inputs,
                               int64_t input_count, atelier_results **results, char **sentence);

/* Predicts for batch_count lists of inputs; inputs[i] has input_counts[i] values. On success all of
 * results[0 … batch_count - 1] are set, otherwise none. */
atelier_status atelier_predict_batch(const atelier_model *model,
                                     const atelier_feature *const *inputs,
                                     const int64_t *input_counts, int64_t batch_count,
                                     atelier_results **results, char **sentence);

/* Makes memory for what a model keeps between predictions, all zero; also for a model that keeps nothing. It may
 * outlive the model. */
atelier_status atelier_state_make(const atelier_model *model, atelier_state **state, char **sentence);

/* Gives back a state. NULL is fine. */
void atelier_state_release(atelier_state *state);

/* Predicts with a state of this model, which the prediction changes. Predictions with one state run one after
 * the other. */
atelier_status atelier_predict_with_state(const atelier_model *model, atelier_state *state,
                                          const atelier_feature *inputs, int64_t input_count,
                                          atelier_results **results, char **sentence);

/* A copy of the array that a state holds under a name, as the only value of results. */
atelier_status atelier_state_read(const atelier_state *state, const char *name,
                                  atelier_results **results, char **sentence);

/* Sets the array that a state holds under the value's name. The shapes must agree; numbers are converted. */
atelier_status atelier_state_write(atelier_state *state, const atelier_feature *value,
                                   char **sentence);

/* The number of a prediction's values, and the values. They live as long as the results. Arrays come
 * with the element type that the model declares. */
int64_t atelier_results_count(const atelier_results *results);
const atelier_feature *atelier_results_features(const atelier_results *results);

/* Gives back the results of one prediction, with all memory that its values point to. NULL is fine.
 */
void atelier_results_release(atelier_results *results);

/* What a model is made of, as JSON:
 *
 *     {"layers": [{"name": "…", "type": "convolution", "inputs": ["…"], "outputs": ["…"],
 *                  "number": 0}, …]}                                      a neural network
 *     {"functions": {"main": {"inputs": ["…"], "block": BLOCK}, …}}     an ML Program
 *     {"names": ["…"], "models": [STRUCTURE, …]}                          a pipeline
 *     {}                                                                  anything else
 *
 * where a BLOCK is {"inputs": ["…"], "outputs": ["…"], "operations": [OPERATION, …]}, and an OPERATION
 *
 *     {"operator": "conv", "inputs": {"x": ["…"], "pad": [null]}, "outputs": ["…"],
 *      "blocks": [BLOCK, …], "number": 7}
 *
 * with null for a value that the program states itself. Numbers are the same whenever a model is read.
 * Give *json back with atelier_free. */
atelier_status atelier_model_structure(const char *path, char **json, char **sentence);

/* The same of a model that is loaded for it, with two entries more for each layer and operation:
 * "isComputed", which is false for constants and for functions that do not run, and the "weight" of an
 * operation, the share of its function's work that it is estimated to be. */
atelier_status atelier_model_plan(const char *path, const atelier_options *options, char **json,
                                  char **sentence);

/* Compiles a .mlmodel or .mlpackage into a new .mlmodelc folder in the temporary directory. The folder
 * is the caller's to move or remove. Give *folder back with atelier_free. */
atelier_status atelier_model_compile(const char *path, char **folder, char **sentence);

/* Says what stands for a layer that is code of its maker's, or of a type that is not known. The layer is
 *
 *     {"name": "…", "type": "Lambda", "function": "…" or null, "configuration": {…}}
 *
 * and the answer, which must stay where it is until the next call or the end of the conversion, NULL or
 *
 *     {"class": "…", "description": "…", "parameters": {"…": 1}, "weights": [[0.5, …], …],
 *      "shape": [C, H, W]}
 *
 * where all but the class may be left out: the weights are then those of the layer. */
typedef const char *(*atelier_layer_question)(const char *layer, void *context);

/* Reads a model of another format (Keras, Caffe and what else the version reads) and writes it as Core ML,
 * in the format that the target's name ends in. The options are NULL or
 *
 *     {"companions": ["weights.h5"], "extents": {"input": [1, 3, 224, 224]}, "adds_custom_layers": true}
 *
 * and `question` is NULL or asked for the layers that are not known. */
atelier_status atelier_convert(const char *source, const char *target, const char *options,
                               atelier_layer_question question, void *context, char **sentence);

/* Makes a model smaller: weights of 16 to 1 bits. Both are paths; an ML Program becomes a `.mlpackage`. The
 * options are JSON, of which everything but `bits` may be left out:
 *
 *     {"bits": 8, "mode": "linear", "group_size": 32, "sparsity": 0.5, "layers": ["conv1"], "table": [0, 1]}
 *
 * where the mode is linear, linear-symmetric or kmeans, and a table of 2 ** bits numbers stands in its place. */
atelier_status atelier_compress(const char *source, const char *target, const char *options,
                                char **sentence);

/* A tensor during a call of a custom layer: dense floats in row-major order. What it points to is valid during the
 * call only; copy what you keep. */
typedef struct atelier_tensor {
  float *data;           /* NULL where only the shape is asked about */
  const int64_t *shape;  /* the length of each axis */
  int64_t rank;
} atelier_tensor;

/* The most axes that an output of a custom layer may have. */
#define ATELIER_MAXIMUM_RANK 8

/* A custom layer's class in C. All functions get `context`; those that return a number return 0 for success,
 * or anything else for a failure, which the prediction then reports. One object is never called from two
 * threads at once: while it is busy, a prediction on another thread makes one more. A call from within a call, as of
 * a layer that predicts with its own model, comes to the same object. */
typedef struct atelier_layer_class {
  /* Makes an object, or returns NULL. The parameters are a JSON object. */
  void *(*make)(const char *layer_name, const char *parameters, const atelier_blob *weights,
                int64_t weight_count, void *context);
  /* Writes the shapes of `count` outputs: rank r of output i to ranks[i], its axes to
   * shapes[i * ATELIER_MAXIMUM_RANK] and on. */
  int32_t (*shapes)(void *object, const atelier_tensor *inputs, int64_t input_count, int64_t *shapes,
                    int64_t *ranks, int64_t count, void *context);
  /* Computes. */
  int32_t (*evaluate)(void *object, const atelier_tensor *inputs, int64_t input_count,
                      const atelier_tensor *outputs, int64_t count, void *context);
  /* Lets go of an object; may be NULL. */
  void (*release)(void *object, void *context);
  void *context;
} atelier_layer_class;

/* Makes models use a class for the class name that they name, from the next load on. The struct is copied;
 * what its functions need must stay. */
atelier_status atelier_layer_register(const char *class_name, const atelier_layer_class *layer,
                                      char **sentence);

/* Loads a shared library with custom layers: calls its function
 *
 *     void atelier_plugin(atelier_status (*add)(const char *, const atelier_layer_class *, char **));
 *
 * which registers its classes. */
atelier_status atelier_plugin_load(const char *path, char **sentence);

#ifdef __cplusplus
}
#endif

#endif
