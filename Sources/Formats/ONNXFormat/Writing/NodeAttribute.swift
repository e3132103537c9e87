import Graph
import ModelFormat

/// An attribute of a node to write.
enum NodeAttribute {
  case int(String, Int)
  case ints(String, [Int])
  case float(String, Float)
  case floats(String, [Float])
  case string(String, String)
  case strings(String, [String])
  case tensor(String, ONNX.TensorProto)
  case graph(String, ONNX.GraphProto)

  /// The attribute as a message.
  var message: ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    switch self {
    case .int(let name, let value):
      (result.name, result.type, result.i) = (name, .int, Int64(value))
    case .ints(let name, let values):
      (result.name, result.type, result.ints) = (name, .ints, values.map(Int64.init))
    case .float(let name, let value): (result.name, result.type, result.f) = (name, .float, value)
    case .floats(let name, let values):
      (result.name, result.type, result.floats) = (name, .floats, FloatValues(values))
    case .string(let name, let value):
      (result.name, result.type, result.s) = (name, .string, ByteValues(Array(value.utf8)))
    case .strings(let name, let values):
      (result.name, result.type) = (name, .strings)
      result.strings = values.map { ByteValues(Array($0.utf8)) }
    case .tensor(let name, let value):
      (result.name, result.type, result.t) = (name, .tensor, value)
    case .graph(let name, let value): (result.name, result.type, result.g) = (name, .graph, value)
    }
    return result
  }
}
