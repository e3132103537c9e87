import ModelFormat
import Tensors

extension LiteModel.Tensor {
  /// Whether the tensor is constant: the file holds its values, and it is not a variable. A variable is a state that
  /// begins with zeros.
  package var isConstant: Bool { !bytes.isEmpty && !isVariable }

  /// Returns the values as a constant in the form in which the file stores them: 8-bit integers with their scales, or
  /// numbers of 16 or 32 bits. The values stay in the mapped file.
  ///
  /// - Parameter axes: The order of the constant's axes, as indices of the file's axes. Nil means the file's order.
  /// - Throws: If the file does not hold the number of bytes that the shape needs, or holds values of an unsupported
  ///   type.
  func constant(axes: [Int]? = nil) throws -> Constant {
    guard let stored = element.stored, !isSparse else {
      throw EngineError(
        .unsupported,
        "tensor '\(name)' holds \(isSparse ? "sparse values" : "values of type \(element)"), which"
          + " cannot be read. Convert the model with dense float or integer weights.")
    }
    let count: Int = Shape(shape).count
    let needed: Int = stored.byteCount(of: count)
    guard bytes.count == needed else {
      throw EngineError(
        .invalidModel,
        "tensor '\(name)' holds \(bytes.count) bytes, expected \(needed) for \(Shape(shape)) of"
          + " \(element). The file may be truncated.")
    }
    let order: [Int] = axes ?? Array(shape.indices)
    let made = Shape(order.map { shape[$0] })
    var (source, storedType): (any ByteSource, ElementType) = (bytes, stored)
    if moves(order) {
      if stored.isPacked {
        storedType = stored == .int4 ? .int8 : .uint8
        source = WidenedNibbles(source: source, byteCount: count, isSigned: storedType == .int8)
      }
      source = PermutedBytes(source: source, shape: shape, axes: order, size: storedType.byteCount)
    }
    let type: ElementType = quantization == nil ? element.held : .float32
    let integers = Constant(TensorType(made, type), StoredValues(source, of: storedType))
    return try quantization.map { try scaled(integers, by: $0, order) } ?? integers
  }

  /// The tensor with the same stored integers q and a scale of 1. It represents the numbers q − zero point.
  var integers: LiteModel.Tensor {
    with(
      shape: shape, isOpen: isOpen,
      quantization: quantization.map { quantization in
        let zeros: [Int] = quantization.zeros
        return zeros.allSatisfy { $0 == zeros[0] }
          ? LiteQuantization(scales: [1], zeros: [zeros[0]], axis: quantization.axis)
          : LiteQuantization(scales: zeros.map { _ in 1 }, zeros: zeros, axis: quantization.axis)
      })
  }

  /// Returns the same tensor with additional leading axes of extent one.
  func padded(toRank rank: Int) -> LiteModel.Tensor {
    let added: Int = rank - shape.count
    return with(
      shape: [Int](repeating: 1, count: added) + shape,
      isOpen: [Bool](repeating: false, count: added) + isOpen,
      quantization: quantization.map { quantization in
        LiteQuantization(
          scales: quantization.scales, zeros: quantization.zeros, axis: quantization.axis + added)
      })
  }

  /// Returns the same tensor with these bytes in dense form.
  func dense(_ bytes: ByteValues) -> LiteModel.Tensor {
    LiteModel.Tensor(
      name: name, element: element, shape: shape, isOpen: isOpen, bytes: bytes,
      quantization: quantization, isVariable: isVariable, sparsity: nil)
  }

  private func with(shape: [Int], isOpen: [Bool], quantization: LiteQuantization?)
    -> LiteModel.Tensor
  {
    LiteModel.Tensor(
      name: name, element: element, shape: shape, isOpen: isOpen, bytes: bytes,
      quantization: quantization, isVariable: isVariable, sparsity: sparsity)
  }

  /// Returns whether a permutation of the axes moves values in memory. Moving an axis of extent one moves no value.
  private func moves(_ order: [Int]) -> Bool {
    let wide: [Int] = order.filter { shape[$0] != 1 }
    return wide != wide.sorted()
  }

  private func scaled(_ integers: Constant, by quantization: LiteQuantization, _ order: [Int])
    throws
    -> Constant
  {
    var extents = [Int](repeating: 1, count: shape.count)
    if quantization.scales.count > 1 {
      guard let position = order.firstIndex(of: quantization.axis),
        shape[quantization.axis] == quantization.scales.count
      else {
        throw EngineError(
          .invalidModel,
          "tensor '\(name)' has \(quantization.scales.count) scales along axis \(quantization.axis),"
            + " which does not fit its shape \(Shape(shape)).")
      }
      extents[position] = quantization.scales.count
    }
    if integers.count == 0 { return integers }
    // Many tensors may share the lists of scales and zero points, so the constants do not copy the lists.
    let scale = Constant(Shape(extents), quantization.scales)
    let zeros: [Int] = quantization.zeros
    let zero: Constant? =
      zeros.allSatisfy { $0 == 0 }
      ? nil : Constant(TensorType(Shape(extents))) { zeros.map { Float($0) } }
    return try Constant.scaled(integers, by: scale, from: zero)
  }
}
