import Graph
import ModelFormat

/// The inputs and attributes that ONNX defines for an operator in the supported opsets.
///
/// A reader asks for the inputs and attributes that it knows, and would ignore all others. So
/// ``ONNXNode/requireKnownForm()`` throws for too many inputs, for attributes of the wrong type, and for attributes
/// that the operator does not have in the model's opset. The list of forms also has attributes that change no result in
/// Atelier: seeds, the momentum of training, the precision of intermediate results, the rounding to 8-bit
/// floating-point types, and the order of the top K elements.
///
/// **Source:** docs/Operators.md and docs/Changelog.md of ONNX, opsets 7 to 28.
struct NodeForm: Sendable {
  /// An attribute of an operator.
  struct Attribute: Sendable {
    /// The attribute's type.
    let type: ONNX.AttributeProto.AttributeType
    /// The first opset in which the operator has this attribute.
    let first: Int
    /// The opset that removed this attribute. `Int.max` if no opset removed it.
    let end: Int
  }

  /// The attributes by name.
  let attributes: [String: Attribute]
  /// The largest number of inputs from the opset `first` on, sorted by opset. Nil means any number.
  private let inputs: [(first: Int, count: Int?)]

  /// Returns the largest number of inputs that the operator has in an opset. Nil means any number.
  func inputCount(in opset: Int) -> Int? {
    (inputs.last { $0.first <= opset } ?? inputs.first)?.count
  }

  /// Returns the form of an operator. Nil if the operator is not listed.
  static func form(of name: String) -> NodeForm? { all[name] }

  /// The names of the listed operators.
  static var names: Set<String> { Set(all.keys) }

  private static let types: [Substring: ONNX.AttributeProto.AttributeType] = [
    "i": .int, "f": .float, "s": .string, "t": .tensor, "g": .graph, "is": .ints, "fs": .floats,
    "ss": .strings, "st": .sparseTensor,
  ]

  /// Reads the fields of an operator's line in the list of forms. A field of an attribute is `name:type`. `>=opset`
  /// follows if a later opset introduced the attribute. `<opset` follows if an opset removed it.
  private init(_ fields: [Substring]) {
    inputs = fields[1].split(separator: ",").map { field in
      let parts: [Substring] = field.split(separator: ":")
      return (parts.count > 1 ? Int(parts[0]) ?? 0 : 0, Int(parts[parts.count - 1]))
    }
    var attributes: [String: Attribute] = [:]
    for field in fields.dropFirst(2) {
      let sides: [Substring] = field.split(separator: ":")
      let end: [Substring] = sides[1].split(separator: "<")
      let parts: [Substring] = end[0].split(separator: ">")
      attributes[String(sides[0])] = Attribute(
        type: Self.types[parts[0]] ?? .undefined,
        first: parts.count > 1 ? Int(parts[1].dropFirst()) ?? 0 : 0,
        end: end.count > 1 ? Int(end[1]) ?? .max : .max)
    }
    self.attributes = attributes
  }

  /// The forms by operator name. Each line has the operator's name, the largest number of inputs, and the attributes.
  /// If a later opset changed the number of inputs, `opset:number` follows with the new number.
  private static let all: [String: NodeForm] = {
    let table: String = """
      Abs 1
      Acos 1
      Acosh 1
      Add 2
      AffineGrid 2 align_corners:i
      And 2
      ArgMax 1 axis:i keepdims:i select_last_index:i>=12
      ArgMin 1 axis:i keepdims:i select_last_index:i>=12
      Asin 1
      Asinh 1
      Atan 1
      Atanh 1
      Attention 6,24:7 is_causal:i kv_num_heads:i left_window_size:i>=25 q_num_heads:i qk_matmul_output_mode:i right_window_size:i>=25 scale:f softcap:f softmax_precision:i
      AveragePool 1 auto_pad:s ceil_mode:i>=10 count_include_pad:i dilations:is>=19 kernel_shape:is pads:is strides:is
      BatchNormalization 5 epsilon:f momentum:f spatial:i<9 training_mode:i>=14
      BitShift 2 direction:s
      BitwiseAnd 2
      BitwiseNot 1
      BitwiseOr 2
      BitwiseXor 2
      BlackmanWindow 1 output_datatype:i periodic:i
      Cast 1 round_mode:s>=24 saturate:i>=19 to:i
      CastLike 2 round_mode:s>=24 saturate:i>=19
      CausalConvWithState 4 activation:s
      Ceil 1
      Celu 1 alpha:f
      CenterCropPad 2 axes:is
      Clip 1,11:3 max:f<11 min:f<11
      Col2Im 3 dilations:is pads:is strides:is
      Compress 2 axis:i
      Concat * axis:i
      ConcatFromSequence 1 axis:i new_axis:i
      Constant 0 sparse_value:st>=11 value:t value_float:f>=12 value_floats:fs>=12 value_int:i>=12 value_ints:is>=12 value_string:s>=12 value_strings:ss>=12
      ConstantOfShape 1 value:t
      Conv 3 auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is
      ConvInteger 4 auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is
      ConvTranspose 3 auto_pad:s dilations:is group:i kernel_shape:is output_padding:is output_shape:is pads:is strides:is
      Cos 1
      Cosh 1
      CumProd 2 exclusive:i reverse:i
      CumSum 2 exclusive:i reverse:i
      DFT 2,20:3 axis:i<20 inverse:i onesided:i
      DepthToSpace 1 blocksize:i mode:s>=11
      DequantizeLinear 3 axis:i>=13 block_size:i>=21 output_dtype:i>=23
      Det 1
      Div 2
      Dropout 1,12:3 ratio:f<12 seed:i>=12
      DynamicQuantizeLinear 1
      Einsum * equation:s
      Elu 1 alpha:f
      Equal 2
      Erf 1
      Exp 1
      Expand 2
      EyeLike 1 dtype:i k:i
      Flatten 1 axis:i
      Floor 1
      GRU 6 activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i layout:i>=14 linear_before_reset:i
      Gather 2 axis:i
      GatherElements 2 axis:i
      GatherND 2 batch_dims:i>=12
      Gelu 1 approximate:s
      Gemm 3 alpha:f beta:f transA:i transB:i
      GlobalAveragePool 1
      GlobalLpPool 1 p:i
      GlobalMaxPool 1
      Greater 2
      GreaterOrEqual 2
      GridSample 2 align_corners:i mode:s padding_mode:s
      GroupNormalization 3 epsilon:f num_groups:i stash_type:i>=21
      HammingWindow 1 output_datatype:i periodic:i
      HannWindow 1 output_datatype:i periodic:i
      HardSigmoid 1 alpha:f beta:f
      HardSwish 1
      Hardmax 1 axis:i
      Identity 1
      If 1 else_branch:g then_branch:g
      InstanceNormalization 3 epsilon:f
      IsInf 1 detect_negative:i detect_positive:i
      IsNaN 1
      LRN 1 alpha:f beta:f bias:f size:i
      LSTM 8 activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i input_forget:i layout:i>=14
      LayerNormalization 3 axis:i epsilon:f stash_type:i
      LeakyRelu 1 alpha:f
      Less 2
      LessOrEqual 2
      Log 1
      LogSoftmax 1 axis:i
      Loop * body:g
      LpNormalization 1 axis:i p:i
      LpPool 1 auto_pad:s ceil_mode:i>=18 dilations:is>=18 kernel_shape:is p:i pads:is strides:is
      MatMul 2
      MatMulInteger 4
      Max *
      MaxPool 1 auto_pad:s ceil_mode:i>=10 dilations:is>=10 kernel_shape:is pads:is storage_order:i>=8 strides:is
      Mean *
      MeanVarianceNormalization 1 axes:is
      MelWeightMatrix 5 output_datatype:i
      Min *
      Mish 1
      Mod 2 fmod:i
      Mul 2
      Neg 1
      NegativeLogLikelihoodLoss 3 ignore_index:i reduction:s
      NonMaxSuppression 5 center_point_box:i
      NonZero 1
      Not 1
      OneHot 3 axis:i
      Or 2
      PRelu 2
      Pad 1,11:3,18:4 mode:s pads:is<11 value:f<11
      Pow 2
      QLinearConv 9 auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is
      QLinearMatMul 8
      QuantizeLinear 3 axis:i>=13 block_size:i>=21 output_dtype:i>=21 precision:i>=23 saturate:i>=19
      RMSNormalization 2 axis:i epsilon:f stash_type:i
      RNN 6 activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i layout:i>=14
      Range 3 stash_type:i>=27
      Reciprocal 1
      ReduceL1 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceL2 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceLogSum 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceLogSumExp 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceMax 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceMean 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceMin 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceProd 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      ReduceSum 1,13:2 axes:is<13 keepdims:i noop_with_empty_axes:i>=13
      ReduceSumSquare 1,18:2 axes:is<18 keepdims:i noop_with_empty_axes:i>=18
      Relu 1
      Reshape 2 allowzero:i>=14
      Resize 2,11:4 antialias:i>=18 axes:is>=18 coordinate_transformation_mode:s>=11 cubic_coeff_a:f>=11 exclude_outside:i>=11 extrapolation_value:f>=11 keep_aspect_ratio_policy:s>=18 mode:s nearest_mode:s>=11
      ReverseSequence 2 batch_axis:i time_axis:i
      RotaryEmbedding 4 interleaved:i num_heads:i rotary_embedding_dim:i
      Round 1
      Scan * body:g directions:is<9 num_scan_inputs:i scan_input_axes:is>=9 scan_input_directions:is>=9 scan_output_axes:is>=9 scan_output_directions:is>=9
      Scatter 3 axis:i
      ScatterElements 3 axis:i reduction:s>=16
      ScatterND 3 reduction:s>=16
      Selu 1 alpha:f gamma:f
      SequenceAt 2
      SequenceConstruct *
      SequenceEmpty 0 dtype:i
      SequenceErase 2
      SequenceInsert 3
      SequenceLength 1
      Shape 1 end:i>=15 start:i>=15
      Shrink 1 bias:f lambd:f
      Sigmoid 1
      Sign 1
      Sin 1
      Sinh 1
      Size 1
      Slice 1,10:5 axes:is<10 ends:is<10 starts:is<10
      Softmax 1 axis:i
      SoftmaxCrossEntropyLoss 3 ignore_index:i reduction:s
      Softplus 1
      Softsign 1
      SpaceToDepth 1 blocksize:i mode:s>=28
      Split 1,13:2 axis:i num_outputs:i>=18 split:is<13
      SplitToSequence 2 axis:i keepdims:i
      Sqrt 1
      Squeeze 1,13:2 axes:is<13
      Sub 2
      Sum *
      SwiGLU 2 alpha:f
      Swish 1 alpha:f
      Tan 1
      Tanh 1
      TensorScatter 3 axis:i mode:s
      ThresholdedRelu 1 alpha:f
      Tile 2
      TopK 1,10:2 axis:i k:i<10 largest:i>=11 sorted:i>=11
      Transpose 1 perm:is
      Trilu 2 upper:i
      Unsqueeze 1,13:2 axes:is<13
      Upsample 1,9:2 mode:s scales:fs<9
      Where 3
      Xor 2
      """
    var result: [String: NodeForm] = [:]
    for line in table.split(separator: "\n") {
      let fields: [Substring] = line.split(separator: " ")
      result[String(fields[0])] = NodeForm(fields)
    }
    return result
  }()
}

extension ONNXNode {
  /// Throws if the node has more inputs than the operator's ``NodeForm`` allows, or attributes that the form does not
  /// have.
  func requireKnownForm() throws {
    guard let form = NodeForm.form(of: message.opType) else { return }
    for (name, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
      guard let known = form.attributes[name] else {
        throw invalid(
          "it has the attribute '\(name)', which ONNX does not define for \(message.opType).")
      }
      guard (known.first..<known.end).contains(version) else {
        throw invalid(
          "it has the attribute '\(name)', which \(message.opType) does not have in opset \(version)."
        )
      }
      guard attribute.type == .undefined || attribute.type == known.type else {
        throw invalid(
          "the attribute '\(name)' holds \(attribute.type), expected \(known.type).")
      }
    }
    if let most = form.inputCount(in: version), inputCount > most {
      throw invalid(
        "it has \(inputCount) inputs, but \(message.opType) takes at most \(most) in opset \(version)."
      )
    }
  }
}
