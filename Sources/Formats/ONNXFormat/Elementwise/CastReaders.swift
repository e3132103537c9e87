import Graph
import Operators

/// Elements as those of another type.
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
  /// A tensor in another type: floats are rounded to nearest, fractions cut off towards zero; between types of whole
  /// numbers the low bits are kept.
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
    return try wrapped(whole(tensor), as: element)
  }

  /// Whole numbers of less than a byte, held as `float32`: those of whole numbers keep their lowest bits, those of
  /// floats are cut off.
  private func packed(_ tensor: ONNXTensor, to element: ElementType) throws -> ONNXTensor {
    let count = Float(1 << element.bitCount)
    let half: Float = element == .int4 ? count / 2 : 0
    let wholes: Graph.ValueID = try add(CastOperator(to: .float32), whole(tensor))
    let shifted = try scaled(wholes, by: 1, plus: half)
    let rest = try join(.modulo, shifted, number: count)
    return ONNXTensor(try scaled(rest, by: 1, plus: -half), element)
  }
}
