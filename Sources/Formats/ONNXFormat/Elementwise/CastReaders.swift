import Graph
import Operators

/// Casts to other element types.
enum CastReaders {
  static let all: [NodeReader] = [
    NodeReader("Cast", as: [CastOperator.self], .exact) { node in
      let type: Int = try node.int("to")
      return [try node.converted(node.tensor(0), to: ElementType(onnx: Int32(clamping: type)))]
    },
    NodeReader("CastLike", as: [CastOperator.self], .exact) { node in
      [try node.converted(node.tensor(0), to: node.tensor(1).element)]
    },
  ]
}

extension ONNXNode {
  /// Casts a tensor to another type. Casts to floating-point types round to nearest. Casts from floating-point types to
  /// integer types truncate towards zero. Casts between integer types keep the low bits.
  func converted(_ tensor: ONNXTensor, to element: ElementType) throws -> ONNXTensor {
    let source: ElementType = tensor.element
    if source == element { return tensor }
    if element == .bool {
      let zero: Graph.ValueID = constant(0, as: source)
      return try truth(join(.isNotEqual, tensor.id, zero), of: source)
    }
    if element.isFloatingPoint {
      let value: Graph.ValueID = try real(tensor)
      guard element.isRounded else { return ONNXTensor(value, element) }
      return ONNXTensor(try add(RoundOperator(to: element), value), element)
    }
    if element.isPacked { return try packed(tensor, to: element) }
    if source == .bool { return try held(tensor.id, as: element) }
    return try wrapped(integer(tensor), as: element)
  }

  /// Casts to integers narrower than a byte. The graph stores them as `float32`. Floating-point numbers are first
  /// truncated towards zero to `int32`. Then only the lowest bits stay.
  private func packed(_ tensor: ONNXTensor, to element: ElementType) throws -> ONNXTensor {
    let count = Float(1 << element.bitCount)
    let half: Float = element == .int4 ? count / 2 : 0
    let integerValues: Graph.ValueID = try add(CastOperator(to: .float32), integer(tensor))
    let shifted = try scaled(integerValues, by: 1, plus: half)
    let rest = try join(.modulo, shifted, number: count)
    return ONNXTensor(try scaled(rest, by: 1, plus: -half), element)
  }
}
