/// The fields of Caffe's messages that inference needs. The binary form identifies a field by its number, and the text
/// form by its name.
///
/// **Source:** `caffe.proto` of BVLC/caffe, with the layers of its branch for single-shot detectors.
enum CaffeSchema {
  /// The type of a field.
  indirect enum Kind {
    /// An integer.
    case int
    /// A `float`.
    case float
    /// `true` or `false`.
    case bool
    /// A string.
    case text
    /// An enumeration: numbers with names.
    case cases([Int: String])
    /// A message of this type.
    case message(String)
    /// Numbers that stay in the file.
    case floats, doubles
    /// A field of any type that matters only for training.
    case trainingOnly
  }

  typealias Fields = [UInt32: (name: String, kind: Kind)]

  /// The fields of every message, by message name.
  static let messages: [String: Fields] = {
    var all: [String: Fields] = [
      "Net": [
        1: ("name", .text), 2: ("layers", .message("V1Layer")), 3: ("input", .text),
        4: ("input_dim", .int), 8: ("input_shape", .message("Shape")),
        100: ("layer", .message("Layer")),
      ],
      "Shape": [1: ("dim", .int)],
      "Blob": [
        1: ("num", .int), 2: ("channels", .int), 3: ("height", .int), 4: ("width", .int),
        5: ("data", .floats), 7: ("shape", .message("Shape")), 8: ("double_data", .doubles),
      ],
      "Rule": [
        1: ("phase", phase), 2: ("min_level", .int), 3: ("max_level", .int), 4: ("stage", .text),
        5: ("not_stage", .text),
      ],
      "Transform": [
        1: ("scale", .float), 3: ("crop_size", .int), 4: ("mean_file", .text),
        5: ("mean_value", .float),
      ],
    ]
    all["Layer"] = [
      1: ("name", .text), 2: ("type", .text), 3: ("bottom", .text), 4: ("top", .text),
      5: ("loss_weight", .trainingOnly), 6: ("param", .trainingOnly),
      7: ("blobs", .message("Blob")),
      8: ("include", .message("Rule")), 9: ("exclude", .message("Rule")), 10: ("phase", phase),
      11: ("propagate_down", .trainingOnly), 101: ("loss_param", .trainingOnly),
      102: ("accuracy_param", .trainingOnly), 107: ("data_param", .trainingOnly),
      109: ("dummy_data_param", .trainingOnly), 112: ("hdf5_data_param", .trainingOnly),
      115: ("image_data_param", .trainingOnly), 129: ("window_data_param", .trainingOnly),
      100: ("transform_param", .message("Transform")),
    ]
    all["V1Layer"] = [
      2: ("bottom", .text), 3: ("top", .text), 4: ("name", .text), 5: ("type", .cases(oldTypes)),
      6: ("blobs", .message("Blob")), 32: ("include", .message("Rule")),
      33: ("exclude", .message("Rule")), 36: ("transform_param", .message("Transform")),
      7: ("blobs_lr", .trainingOnly), 8: ("weight_decay", .trainingOnly),
      35: ("loss_weight", .trainingOnly),
      42: ("loss_param", .trainingOnly), 27: ("accuracy_param", .trainingOnly),
      11: ("data_param", .trainingOnly),
      26: ("dummy_data_param", .trainingOnly), 13: ("hdf5_data_param", .trainingOnly),
      15: ("image_data_param", .trainingOnly), 20: ("window_data_param", .trainingOnly),
      1001: ("param", .trainingOnly), 1002: ("blob_share_mode", .trainingOnly),
    ]
    for (name, number) in trainingParameters {
      all["Layer"]?[number] = (name, .trainingOnly)
    }
    for parameter in parameters {
      let field = ("\(parameter.name)_param", Kind.message(parameter.name))
      all["Layer"]?[parameter.number] = field
      if let old = parameter.old { all["V1Layer"]?[old] = field }
      all[parameter.name] = parameter.fields
    }
    return all
  }()

  private static let phase: Kind = .cases([0: "TRAIN", 1: "TEST"])

  /// The current name of each layer type, by the type's number in the enumeration of old files.
  static let oldTypes: [Int: String] = [
    35: "AbsVal", 1: "Accuracy", 30: "ArgMax", 2: "BNLL", 3: "Concat", 37: "ContrastiveLoss",
    4: "Convolution", 5: "Data", 39: "Deconvolution", 6: "Dropout", 32: "DummyData",
    7: "EuclideanLoss", 25: "Eltwise", 38: "Exp", 8: "Flatten", 9: "HDF5Data", 10: "HDF5Output",
    28: "HingeLoss", 11: "Im2col", 12: "ImageData", 13: "InfogainLoss", 14: "InnerProduct",
    15: "LRN", 29: "MemoryData", 16: "MultinomialLogisticLoss", 34: "MVN", 17: "Pooling",
    26: "Power", 18: "ReLU", 19: "Sigmoid", 27: "SigmoidCrossEntropyLoss", 36: "Silence",
    20: "Softmax", 21: "SoftmaxWithLoss", 22: "Split", 33: "Slice", 23: "TanH", 24: "WindowData",
    31: "Threshold",
  ]

  /// Returns the layer type in today's form: `InnerProduct` for `INNER_PRODUCT`.
  static func type(named name: String) -> String {
    if name == "SOFTMAX_LOSS" { return "SoftmaxWithLoss" }
    let flat: String = name.replacing("_", with: "").lowercased()
    guard name == name.uppercased(), name.count > 1 else { return name }
    return oldTypes.values.first { $0.lowercased() == flat } ?? name
  }

  /// The parameter message of a layer type, with the message's field numbers in a `LayerParameter` and in the older
  /// `V1LayerParameter`.
  private struct Parameters {
    let name: String
    let number: UInt32
    var old: UInt32?
    let fields: Fields
  }

  /// The parameter messages of layer types that only training needs, with the messages' field numbers in a layer.
  private static let trainingParameters: [(String, UInt32)] = [
    ("contrastive_loss_param", 105), ("hdf5_output_param", 113), ("hinge_loss_param", 114),
    ("infogain_loss_param", 116),
  ]

  private static let windows: Fields = [
    3: ("pad", .int), 4: ("kernel_size", .int), 6: ("stride", .int), 18: ("dilation", .int),
    9: ("pad_h", .int), 10: ("pad_w", .int), 11: ("kernel_h", .int), 12: ("kernel_w", .int),
    13: ("stride_h", .int), 14: ("stride_w", .int),
  ]

  private static let parameters: [Parameters] = [
    Parameters(
      name: "convolution", number: 106, old: 10,
      fields: windows.merging([
        1: ("num_output", .int), 2: ("bias_term", .bool), 5: ("group", .int), 16: ("axis", .int),
        7: ("weight_filler", .trainingOnly), 8: ("bias_filler", .trainingOnly),
        15: ("engine", .trainingOnly),
        17: ("force_nd_im2col", .bool),
      ]) { first, _ in first }),
    Parameters(
      name: "pooling", number: 121, old: 19,
      fields: [
        1: ("pool", .cases([0: "MAX", 1: "AVE", 2: "STOCHASTIC"])), 2: ("kernel_size", .int),
        3: ("stride", .int), 4: ("pad", .int), 5: ("kernel_h", .int), 6: ("kernel_w", .int),
        7: ("stride_h", .int), 8: ("stride_w", .int), 9: ("pad_h", .int), 10: ("pad_w", .int),
        11: ("engine", .trainingOnly), 12: ("global_pooling", .bool),
        13: ("round_mode", .cases([0: "CEIL", 1: "FLOOR"])),
      ]),
    Parameters(
      name: "inner_product", number: 117, old: 17,
      fields: [
        1: ("num_output", .int), 2: ("bias_term", .bool), 5: ("axis", .int),
        6: ("transpose", .bool), 3: ("weight_filler", .trainingOnly),
        4: ("bias_filler", .trainingOnly),
      ]),
    Parameters(
      name: "embed", number: 137,
      fields: [
        1: ("num_output", .int), 2: ("input_dim", .int), 3: ("bias_term", .bool),
        4: ("weight_filler", .trainingOnly), 5: ("bias_filler", .trainingOnly),
      ]),
    Parameters(name: "input", number: 143, fields: [1: ("shape", .message("Shape"))]),
    Parameters(
      name: "memory_data", number: 119, old: 22,
      fields: [
        1: ("batch_size", .int), 2: ("channels", .int), 3: ("height", .int), 4: ("width", .int),
      ]),
    Parameters(
      name: "batch_norm", number: 139,
      fields: [
        1: ("use_global_stats", .bool), 2: ("moving_average_fraction", .float), 3: ("eps", .float),
      ]),
    Parameters(
      name: "scale", number: 142,
      fields: [
        1: ("axis", .int), 2: ("num_axes", .int), 4: ("bias_term", .bool),
        3: ("filler", .trainingOnly),
        5: ("bias_filler", .trainingOnly),
      ]),
    Parameters(
      name: "bias", number: 141,
      fields: [1: ("axis", .int), 2: ("num_axes", .int), 3: ("filler", .trainingOnly)]),
    Parameters(
      name: "lrn", number: 118, old: 18,
      fields: [
        1: ("local_size", .int), 2: ("alpha", .float), 3: ("beta", .float), 5: ("k", .float),
        4: ("norm_region", .cases([0: "ACROSS_CHANNELS", 1: "WITHIN_CHANNEL"])),
        6: ("engine", .trainingOnly),
      ]),
    Parameters(
      name: "mvn", number: 120, old: 34,
      fields: [
        1: ("normalize_variance", .bool), 2: ("across_channels", .bool), 3: ("eps", .float),
      ]),
    Parameters(
      name: "norm", number: 206,
      fields: [
        1: ("across_spatial", .bool), 2: ("scale_filler", .trainingOnly),
        3: ("channel_shared", .bool),
        4: ("eps", .float),
      ]),
    Parameters(
      name: "concat", number: 104, old: 9, fields: [1: ("concat_dim", .int), 2: ("axis", .int)]),
    Parameters(
      name: "slice", number: 126, old: 31,
      fields: [1: ("slice_dim", .int), 2: ("slice_point", .int), 3: ("axis", .int)]),
    Parameters(
      name: "eltwise", number: 110, old: 24,
      fields: [
        1: ("operation", .cases([0: "PROD", 1: "SUM", 2: "MAX"])), 2: ("coeff", .float),
        3: ("stable_prod_grad", .bool),
      ]),
    Parameters(name: "crop", number: 144, fields: [1: ("axis", .int), 2: ("offset", .int)]),
    Parameters(name: "permute", number: 202, fields: [1: ("order", .int)]),
    Parameters(
      name: "reshape", number: 133,
      fields: [1: ("shape", .message("Shape")), 2: ("axis", .int), 3: ("num_axes", .int)]),
    Parameters(name: "flatten", number: 135, fields: [1: ("axis", .int), 2: ("end_axis", .int)]),
    Parameters(name: "tile", number: 138, fields: [1: ("axis", .int), 2: ("tiles", .int)]),
    Parameters(
      name: "reduction", number: 136,
      fields: [
        1: ("operation", .cases([1: "SUM", 2: "ASUM", 3: "SUMSQ", 4: "MEAN"])), 2: ("axis", .int),
        3: ("coeff", .float),
      ]),
    Parameters(
      name: "argmax", number: 103, old: 23,
      fields: [1: ("out_max_val", .bool), 2: ("top_k", .int), 3: ("axis", .int)]),
    Parameters(
      name: "softmax", number: 125, old: 39,
      fields: [1: ("engine", .trainingOnly), 2: ("axis", .int)]),
    Parameters(name: "sigmoid", number: 124, old: 38, fields: [1: ("engine", .trainingOnly)]),
    Parameters(name: "tanh", number: 127, old: 37, fields: [1: ("engine", .trainingOnly)]),
    Parameters(
      name: "dropout", number: 108, old: 12, fields: [1: ("dropout_ratio", .float)]),
    Parameters(name: "swish", number: 147, fields: [1: ("beta", .float)]),
    Parameters(
      name: "relu", number: 123, old: 30,
      fields: [1: ("negative_slope", .float), 2: ("engine", .trainingOnly)]),
    Parameters(
      name: "prelu", number: 131,
      fields: [1: ("filler", .trainingOnly), 2: ("channel_shared", .bool)]),
    Parameters(name: "elu", number: 140, fields: [1: ("alpha", .float)]),
    Parameters(
      name: "power", number: 122, old: 21,
      fields: [1: ("power", .float), 2: ("scale", .float), 3: ("shift", .float)]),
    Parameters(
      name: "exp", number: 111, old: 41,
      fields: [1: ("base", .float), 2: ("scale", .float), 3: ("shift", .float)]),
    Parameters(
      name: "log", number: 134,
      fields: [1: ("base", .float), 2: ("scale", .float), 3: ("shift", .float)]),
    Parameters(name: "threshold", number: 128, old: 25, fields: [1: ("threshold", .float)]),
    Parameters(name: "parameter", number: 145, fields: [1: ("shape", .message("Shape"))]),
  ]
}
