import Graph
import ModelFormat
import Operators

/// Custom layers. A class of the caller computes them.
///
/// Attributes list the names of the operation's inputs. `input_order` lists the tensors that the class gets.
/// `parameters` and `weights` list the constants for the initialiser of the class.
///
/// **Source:** coremltools' MIL back end, which writes custom operations in this form.
enum CustomReaders {
  static let all: [OperationReader] = [
    OperationReader("custom_layer", as: [CustomLayer.self]) { operation in
      guard let className = try operation.strings("class_name").first else {
        throw operation.invalid("the attribute 'class_name' is missing.")
      }
      var parameters: [String: CustomLayerParameter] = [:]
      for name in try operation.strings("parameters") {
        parameters[name] = try operation.parameter(name)
      }
      let weights: [[UInt8]] = try operation.strings("weights").map {
        try operation.weightBytes($0)
      }
      let request = CustomLayerRequest(
        layerName: operation.name, className: className, parameters: parameters,
        weights: { weights })
      let layer = CustomLayer(
        className: className, outputCount: operation.outputs.count,
        implementation: try CustomLayer.wrapping(className) {
          try operation.builder.context.makeCustomLayer(request)
        }, parameters: parameters, weights: { weights })
      let inputs = try operation.strings("input_order").flatMap { try operation.tensors($0) }
      let made = operation.add(
        layer, inputs.map { operation.real($0) }, outputs: operation.outputs.count)
      return zip(made, operation.outputs).map { .value(operation.cast($0, to: $1)) }
    }
  ]
}

extension ProgramOperation {
  /// Returns the strings of an attribute. Empty if the attribute is omitted.
  fileprivate func strings(_ attribute: String) throws -> [String] {
    guard let message = message.attributes[attribute] else { return [] }
    guard case .strings(let strings) = try ProgramLiteral(message, in: builder.context) else {
      throw invalid("the attribute '\(attribute)' holds no strings.")
    }
    return strings
  }

  /// Returns a parameter for the initialiser of the class.
  fileprivate func parameter(_ name: String) throws -> CustomLayerParameter {
    if case .strings(let strings)? = try optionalValue(name), strings.count == 1 {
      return .string(strings[0])
    }
    let tensor = try tensor(name)
    guard let values = try tensor.constant?.tensor().reals, values.count == 1 else {
      throw unsupported("the parameter '\(name)' is not a single constant.")
    }
    switch tensor.element {
    case .bool: return .bool(values[0] != 0)
    case .int64, .uint64, .uint32:
      return .long(Int64(Int(bounding: values[0], to: Int.min...Int.max)))
    case let element where element.isInteger:
      return .integer(Int32(clamping: Int(bounding: values[0])))
    default: return .double(values[0])
    }
  }

  /// Returns the numbers of a constant as little-endian bytes, in the element type that the program states.
  fileprivate func weightBytes(_ name: String) throws -> [UInt8] {
    let tensor = try tensor(name)
    guard let constant = tensor.constant else {
      throw unsupported("the weights '\(name)' are computed, expected a constant.")
    }
    if let bytes = constant.stored?.withPlainBytes({ Array($0) }) { return bytes }
    return try constant.tensor().reals.flatMap { value -> [UInt8] in
      func bytes(_ integer: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: integer.littleEndian) { Array($0) }
      }
      let integer = Int(bounding: value, to: Int.min...Int.max)
      switch tensor.element {
      case .float16: return bytes(Float16(value).bitPattern)
      case .float64: return bytes(value.bitPattern)
      case let element where element.isFloatingPoint: return bytes(Float(value).bitPattern)
      case .int64, .uint64: return bytes(Int64(integer))
      case .int32, .uint32: return bytes(UInt32(truncatingIfNeeded: integer))
      case .int16, .uint16: return bytes(UInt16(truncatingIfNeeded: integer))
      default: return bytes(UInt8(truncatingIfNeeded: integer))
      }
    }
  }
}
