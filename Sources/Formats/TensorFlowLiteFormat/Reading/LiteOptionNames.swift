import Graph

/// The options that the reader of an operator knows, in the order of their fields.
///
/// A reader asks for fields by number, and would ignore all other fields. So ``LiteOperation/requireKnownOptions()``
/// throws if a file sets a field that is not listed here. The list also has options that do not change a result:
/// element types that the tensors state as well, numbers of outputs, and how LiteRT rounds intermediate results.
///
/// **Source:** schema.fbs of TensorFlow Lite: the options of each operator, and `BuiltinOptions` for the types of
/// options.
struct LiteOptionNames: Sendable {
  /// The number of the options' type in `BuiltinOptions`.
  let kind: Int
  /// The names of the fields that the reader knows.
  let fields: [String]
  /// The names of the fields after the known fields. The reader does not support these fields.
  let unknown: [String]

  /// Returns the options of an operator. Nil if the operator is not listed.
  static func settings(of kind: String) -> LiteOptionNames? { all[kind] }

  /// The options by operator name. Each entry has the options' type, the known fields and, after a bar, the unsupported
  /// fields.
  private static let all: [String: LiteOptionNames] = {
    let lines: String = """
      ADD 11 fused_activation_function pot_scale_int16
      ARG_MAX 40 output_type
      ARG_MIN 57 output_type
      AVERAGE_POOL_2D 5 padding stride_w stride_h filter_width filter_height fused_activation_function
      BATCH_MATMUL 101 adj_x adj_y asymmetric_quantize_inputs
      CALL_ONCE 103 init_subgraph_index
      CAST 37 in_data_type out_data_type
      CONCATENATION 10 axis fused_activation_function
      CONV_2D 1 padding stride_w stride_h fused_activation_function dilation_w_factor dilation_h_factor quantized_bias_type
      CONV_3D 106 padding stride_d stride_w stride_h fused_activation_function dilation_d_factor dilation_w_factor dilation_h_factor
      CUMSUM 102 exclusive reverse
      DEPTHWISE_CONV_2D 2 padding stride_w stride_h depth_multiplier fused_activation_function dilation_w_factor dilation_h_factor
      DEPTH_TO_SPACE 94 block_size
      DIV 29 fused_activation_function
      FAKE_QUANT 58 min max num_bits narrow_range
      FULLY_CONNECTED 8 fused_activation_function weights_format keep_num_dims asymmetric_quantize_inputs quantized_bias_type | quant_spec
      GATHER 23 axis batch_dims
      GELU 116 approximate
      IF 92 then_subgraph_index else_subgraph_index
      L2_NORMALIZATION 12 fused_activation_function
      L2_POOL_2D 5 padding stride_w stride_h filter_width filter_height fused_activation_function
      LEAKY_RELU 75 alpha
      LOCAL_RESPONSE_NORMALIZATION 13 radius bias alpha beta
      MAX_POOL_2D 5 padding stride_w stride_h filter_width filter_height fused_activation_function
      MEAN 27 keep_dims
      MIRROR_PAD 77 mode
      MUL 21 fused_activation_function
      ONE_HOT 61 axis
      PACK 59 values_count axis
      REDUCE_ALL 27 keep_dims
      REDUCE_ANY 27 keep_dims
      REDUCE_MAX 27 keep_dims
      REDUCE_MIN 27 keep_dims
      REDUCE_PROD 27 keep_dims
      RESHAPE 17 new_shape
      RESIZE_BILINEAR 15 new_height new_width align_corners half_pixel_centers
      RESIZE_NEAREST_NEIGHBOR 74 align_corners half_pixel_centers
      REVERSE_SEQUENCE 87 seq_dim batch_dim
      SHAPE 55 out_type
      SOFTMAX 9 beta
      SPACE_TO_DEPTH 19 block_size
      SPLIT 35 num_splits
      SPLIT_V 79 num_splits
      SQUEEZE 30 squeeze_dims
      STRIDED_SLICE 32 begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask offset
      SUB 28 fused_activation_function pot_scale_int16
      SUM 27 keep_dims
      TRANSPOSE_CONV 49 padding stride_w stride_h fused_activation_function quantized_bias_type
      UNPACK 64 num axis
      WHILE 93 cond_subgraph_index body_subgraph_index
      """
    var result: [String: LiteOptionNames] = [:]
    for line in lines.split(separator: "\n") {
      let sides: [[String]] = line.split(separator: "|").map {
        $0.split(separator: " ").map(String.init)
      }
      result[sides[0][0]] = LiteOptionNames(
        kind: Int(sides[0][1]) ?? 0, fields: Array(sides[0].dropFirst(2)),
        unknown: sides.count > 1 ? sides[1] : [])
    }
    return result
  }()

  /// Returns the name of a field.
  func name(_ field: Int) -> String {
    let named: [String] = fields + unknown
    return named.indices.contains(field) ? "'\(named[field])'" : "number \(field)"
  }
}

extension LiteOperation {
  /// Throws if the operator has options that its reader does not read.
  func requireKnownOptions() throws {
    guard let options = tensorInFile.options else { return }
    let known = LiteOptionNames.settings(of: tensorInFile.kind)
    if let known, tensorInFile.optionsKind != 0, tensorInFile.optionsKind != known.kind {
      throw invalid(
        "its options are those of another operator (type \(tensorInFile.optionsKind), expected \(known.kind)). The file may be damaged."
      )
    }
    guard let field = try options.fieldsInUse(from: known?.fields.count ?? 0).first else { return }
    throw EngineError(
      .unsupported,
      "it has the option \(known?.name(field) ?? "number \(field)"), which is not supported; convert the model without it, or with an older converter."
    )
  }
}
