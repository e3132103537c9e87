import Engine
import Foundation
import ModelFormat
import ONNXFormat

/// A small model for tests, built from messages.
struct ModelMaking {
  var model = ONNX.ModelProto()

  init(opset: Int64 = 18) {
    model.irVersion = 8
    var set = ONNX.OperatorSetIdProto()
    set.version = opset
    model.opsetImport = [set]
    model.graph = ONNX.GraphProto()
    model.graph?.name = "test"
  }

  static func info(_ name: String, _ dims: [Any], type: Int32 = 1) -> ONNX.ValueInfoProto {
    var tensor = ONNX.TypeProto.Tensor()
    tensor.elemType = type
    tensor.shape = ONNX.TensorShapeProto()
    tensor.shape?.dim = dims.map { dim in
      var dimension = ONNX.TensorShapeProto.Dimension()
      if let value = dim as? Int { dimension.value = .dimValue(Int64(value)) }
      if let name = dim as? String { dimension.value = .dimParam(name) }
      return dimension
    }
    var result = ONNX.ValueInfoProto()
    result.name = name
    result.type = ONNX.TypeProto()
    result.type?.value = .tensorType(tensor)
    return result
  }

  static func node(
    _ type: String, _ inputs: [String], _ outputs: [String],
    _ attributes: [ONNX.AttributeProto] = []
  ) -> ONNX.NodeProto {
    var node = ONNX.NodeProto()
    (node.opType, node.input, node.output, node.attribute) = (type, inputs, outputs, attributes)
    return node
  }

  static func int(_ name: String, _ value: Int64) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.i) = (name, .int, value)
    return result
  }

  static func ints(_ name: String, _ values: [Int64]) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.ints) = (name, .ints, values)
    return result
  }

  static func float(_ name: String, _ value: Float) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.f) = (name, .float, value)
    return result
  }

  static func string(_ name: String, _ value: String) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.s) = (name, .string, ByteValues(Array(value.utf8)))
    return result
  }

  static func graph(_ name: String, _ value: ONNX.GraphProto) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.g) = (name, .graph, value)
    return result
  }

  static func floats(_ name: String, _ dims: [Int], _ values: [Float]) -> ONNX.TensorProto {
    var result = ONNX.TensorProto()
    (result.name, result.dims, result.dataType) = (name, dims.map(Int64.init), 1)
    result.floatData = FloatValues(values)
    return result
  }

  static func ints(_ name: String, _ dims: [Int], _ values: [Int64]) -> ONNX.TensorProto {
    var result = ONNX.TensorProto()
    (result.name, result.dims, result.dataType) = (name, dims.map(Int64.init), 7)
    result.int64Data = values
    return result
  }

  mutating func input(_ name: String, _ dims: [Any], type: Int32 = 1) {
    model.graph?.input.append(Self.info(name, dims, type: type))
  }

  mutating func output(_ name: String, type: Int32 = 1) {
    var info = Self.info(name, [], type: type)
    if case .tensorType(var tensor)? = info.type?.value {
      tensor.shape = nil
      info.type?.value = .tensorType(tensor)
    }
    model.graph?.output.append(info)
  }

  mutating func add(
    _ type: String, _ inputs: [String], _ outputs: [String],
    _ attributes: ONNX.AttributeProto...
  ) {
    model.graph?.node.append(Self.node(type, inputs, outputs, attributes))
  }

  mutating func constant(_ tensor: ONNX.TensorProto) { model.graph?.initializer.append(tensor) }

  /// Decodes the model with the ONNX reader.
  func read(folder: URL? = nil) throws -> GraphModel {
    try ONNXReader.read(ByteValues(model.serialized()), name: "test", folder: folder)
  }

  /// Returns the first output for the given inputs, computed by the operators' reference implementations.
  func output(_ inputs: ReferenceTensor...) throws -> ReferenceTensor? {
    try read().graph.definition(inputs)[0]
  }
}
