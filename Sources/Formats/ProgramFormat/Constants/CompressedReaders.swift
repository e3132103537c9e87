import Graph
import Operators

/// Compressed constants. They stay compressed in memory. A constant is decoded only when a kernel copies it into the
/// kernel's own layout.
///
/// Before iOS 18, the operands of the operations are attributes. From iOS 18 on, they are inputs. Reading an operation
/// checks types and extents. The bits of a sparse constant's mask are counted only when the constant is decoded.
enum CompressedReaders {
  static let all: [OperationReader] = [
    OperationReader("constexpr_affine_dequantize", since: .iOS16, as: [], .exact) { operation in
      let integers = try operation.operand("quantized_data")
      let axis: Int = try operation.axis("axis", of: integers.constant.shape)
      let scale = try operation.operand("scale")
      let zero = try operation.operand("zero_point")
      func spread(_ operand: Operand, _ name: String) throws -> Constant {
        let shape: Shape = integers.constant.shape
        var extents = [Int](repeating: 1, count: shape.rank)
        guard operand.constant.count != 1 else {
          return operand.constant.reshaped(to: Shape(extents))
        }
        guard operand.constant.count == shape[axis] else {
          throw operation.invalid(
            "'\(name)' has \(operand.constant.count) values, expected 1 or \(shape[axis]) (axis \(axis) of \(shape))."
          )
        }
        extents[axis] = shape[axis]
        return operand.constant.reshaped(to: Shape(extents))
      }
      return [
        .compressed(
          try Constant.scaled(
            integers.constant, by: spread(scale, "scale"), from: spread(zero, "zero_point"),
            product: scale.element), scale.element)
      ]
    },
    OperationReader("constexpr_cast", since: .iOS16, as: [], .exact) { operation in
      let source = try operation.operand("source_val")
      guard let element = operation.outputs[0]?.element, element.isFloatingPoint else {
        throw operation.unsupported("constants can be cast only to floating-point types.")
      }
      return [.compressed(source.constant, element)]
    },
    OperationReader("constexpr_lut_to_dense", since: .iOS16, as: [], .exact) { operation in
      let table = try operation.operand("lut")
      guard operation.opset < .iOS18 else {
        let integers = try operation.operand("indices")
        let axis: Int? = try operation.optionalAxis("vector_axis", of: integers.constant.shape)
        return [
          .compressed(
            try Constant.lookedUp(integers.constant, in: table.constant, along: axis), table.element
          )
        ]
      }
      let shape: Shape = try operation.operandShape()
      let types: [Int: ElementType] = [2: .uint1, 4: .uint2, 16: .uint4, 64: .uint6, 256: .uint8]
      guard let type = types[table.constant.count] else {
        throw operation.invalid(
          "'lut' has \(table.constant.count) values, expected 2, 4, 16, 64 or 256.")
      }
      let integers: Constant = try operation.bits("indices", as: type, shape)
      let ones = [Int](repeating: 1, count: shape.rank)
      return [
        .compressed(
          try Constant.lookedUp(
            integers, in: table.constant.reshaped(to: Shape(ones + [table.constant.count, 1]))),
          table.element)
      ]
    },
    OperationReader("constexpr_sparse_to_dense", since: .iOS16, as: [], .exact) { operation in
      let nonzero = try operation.operand("nonzero_data")
      let mask: Constant =
        operation.opset < .iOS18
        ? try operation.bits("mask", as: .uint1, try operation.operandShape())
        : try operation.operand("mask").constant
      return [.compressed(Constant.sparse(nonzero.constant, mask: mask), nonzero.element)]
    },
    OperationReader("constexpr_blockwise_shift_scale", since: .iOS18, as: [], .exact) { operation in
      let integers = try operation.operand("data")
      return [try operation.scaled(integers.constant)]
    },
    OperationReader("constexpr_lut_to_sparse", since: .iOS18, as: [], .exact) { operation in
      let mask = try operation.operand("indices_mask")
      let integers = try operation.operand("indices_nonzero_data")
      let table = try operation.operand("lut")
      let axis: Int? = try operation.optionalAxis("vector_axis", of: mask.constant.shape)
      let dense = try Constant.lookedUp(
        Constant.sparse(integers.constant, mask: mask.constant), in: table.constant, along: axis)
      let size: Int = table.constant.shape[-1]
      let expanded: Constant =
        size > 1 ? mask.constant.repeated(size, along: axis ?? 0) : mask.constant
      return [
        .compressed(expanded, .uint1),
        .compressed(
          try Constant.picked(dense, mask: expanded, count: integers.constant.count * size),
          table.element),
      ]
    },
    OperationReader("constexpr_sparse_blockwise_shift_scale", since: .iOS18, as: [], .exact) {
      operation in
      let mask = try operation.operand("data_mask")
      let nonzero = try operation.operand("nonzero_data")
      let dense = Constant.sparse(nonzero.constant, mask: mask.constant)
      guard case .literal(.tensor(let scaled, let element)) = try operation.scaled(dense) else {
        return []
      }
      return [
        .compressed(mask.constant, .uint1),
        .compressed(
          try Constant.picked(scaled, mask: mask.constant, count: nonzero.constant.count), element),
      ]
    },
  ]
}

/// A constant operand, and the element type that the program states for it.
private struct Operand {
  let constant: Constant
  let element: ElementType
}

extension ProgramResult {
  fileprivate static func compressed(_ constant: Constant, _ element: ElementType) -> ProgramResult
  {
    .literal(.tensor(constant, element: element))
  }
}

extension ProgramOperation {
  /// Returns an operand, which may be an attribute or an input. Nil if the operand is omitted.
  fileprivate func optionalOperand(_ name: String) throws -> Operand? {
    if let tensor = try optionalTensor(name) {
      guard let constant = tensor.constant else {
        throw invalid("'\(name)' is computed, expected a constant.")
      }
      return Operand(constant: constant, element: tensor.element)
    }
    guard let message = message.attributes[name] else { return nil }
    guard case .tensor(let constant, let element) = try ProgramLiteral(message, in: builder.context)
    else { throw invalid("'\(name)' is not a tensor.") }
    return Operand(constant: constant, element: element)
  }

  fileprivate func operand(_ name: String) throws -> Operand {
    guard let operand = try optionalOperand(name) else {
      throw invalid("the operand '\(name)' is missing.")
    }
    return operand
  }

  fileprivate func integerValues(_ name: String) throws -> [Int] {
    let tensor = try operand(name).constant.tensor()
    return tensor.reals.map { Int(bounding: $0) }
  }

  fileprivate func optionalAxis(_ name: String, of shape: Shape) throws -> Int? {
    try optionalOperand(name) == nil ? nil : try axis(name, of: shape)
  }

  fileprivate func axis(_ name: String, of shape: Shape) throws -> Int {
    guard let axis = try integerValues(name).first else { throw invalid("'\(name)' is empty.") }
    return try shape.axis(axis, "'\(name)'")
  }

  fileprivate func operandShape() throws -> Shape {
    let shape = Shape(try integerValues("shape"))
    guard shape.isMeasurable, !shape.dimensions.contains(0) else {
      throw invalid("the shape \(shape) is empty or too large.")
    }
    return shape
  }

  /// Returns integers that are narrower than a byte. The file stores them as bytes.
  fileprivate func bits(_ name: String, as element: ElementType, _ shape: Shape) throws -> Constant
  {
    let bytes = try operand(name)
    let needed: Int = element.byteCount(of: shape.count)
    guard let integers = bytes.constant.stored?.reinterpreted(as: element),
      bytes.constant.count == needed
    else {
      throw invalid(
        "'\(name)' has \(bytes.constant.count) bytes, expected \(needed) for \(shape) of \(element)."
      )
    }
    return Constant(TensorType(shape), integers)
  }

  /// Computes `scale · (data − offset)`, block by block. Rounds the result to the type of `scale`.
  fileprivate func scaled(_ integers: Constant) throws -> ProgramResult {
    let scale = try operand("scale")
    let offset = try optionalOperand("offset")
    if let offset, offset.constant.shape != scale.constant.shape {
      throw invalid(
        "'offset' is \(offset.constant.shape), expected \(scale.constant.shape), the shape of 'scale'."
      )
    }
    let isHalf: Bool = scale.element == .float16 && offset?.element != .float32
    return .compressed(
      try Constant.scaled(
        integers, by: scale.constant, from: offset?.constant,
        difference: isHalf ? .float16 : .float32, product: scale.element), scale.element)
  }
}
