import ModelFormat
import Tensors

extension LiteModel.Tensor {
  /// Whether the file holds its values. Variables are kept between runs and begin with zeros.
  package var isConstant: Bool { !bytes.isEmpty && !isVariable }

  /// The values as the file keeps them: codes of 8 bits with their scales, numbers of 16 or 32 bits. They stay
  /// in the mapped file.
  ///
  /// - Parameter axes: the file's axes in the order in which they are wanted; nil for the file's.
  /// - Throws: where the file holds another number of bytes, or values of no kind that is computed with.
  func constant(axes: [Int]? = nil) throws -> Constant {
    guard let stored = element.stored, !isSparse else {
      throw EngineError(
        .unsupported,
        "tensor '\(name)' holds \(isSparse ? "sparse values" : "values of type \(element)"), which"
          + " cannot be read. Convert the model with dense numbers.")
    }
    let count: Int = Shape(shape).count
    let needed: Int = stored.byteCount(of: count)
    guard bytes.count == needed else {
      throw EngineError(
        .invalidModel,
        "tensor '\(name)' holds \(bytes.count) bytes, expected \(needed) for \(Shape(shape)) of"
          + " \(element). The file may be cut off.")
    }
    let order: [Int] = axes ?? Array(shape.indices)
    let made = Shape(order.map { shape[$0] })
    var (source, kept): (any ByteSource, ElementType) = (bytes, stored)
    if moves(order) {
      if stored.isPacked {
        kept = stored == .int4 ? .int8 : .uint8
        source = WidenedNibbles(source: source, byteCount: count, isSigned: kept == .int8)
      }
      source = PermutedBytes(source: source, shape: shape, axes: order, size: kept.byteCount)
    }
    let type: ElementType = quantization == nil ? element.held : .float32
    let codes = Constant(TensorType(made, type), StoredValues(source, of: kept))
    return try quantization.map { try scaled(codes, by: $0, order) } ?? codes
  }

  /// The whole numbers themselves, from their zero point on.
  var codes: LiteModel.Tensor {
    with(
      shape: shape, isOpen: isOpen,
      quantization: quantization.map { quantization in
        let zeros: [Int] = quantization.zeros
        return zeros.allSatisfy { $0 == zeros[0] }
          ? LiteQuantization(scales: [1], zeros: [zeros[0]], axis: quantization.axis)
          : LiteQuantization(scales: zeros.map { _ in 1 }, zeros: zeros, axis: quantization.axis)
      })
  }

  /// The same tensor with ones in front of its extents.
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

  private func with(shape: [Int], isOpen: [Bool], quantization: LiteQuantization?)
    -> LiteModel.Tensor
  {
    LiteModel.Tensor(
      name: name, element: element, shape: shape, isOpen: isOpen, bytes: bytes,
      quantization: quantization, isVariable: isVariable, isSparse: isSparse)
  }

  /// Whether an order of the axes moves values: those of one element may go anywhere.
  private func moves(_ order: [Int]) -> Bool {
    let wide: [Int] = order.filter { shape[$0] != 1 }
    return wide != wide.sorted()
  }

  private func scaled(_ codes: Constant, by quantization: LiteQuantization, _ order: [Int]) throws
    -> Constant
  {
    var extents = [Int](repeating: 1, count: shape.count)
    if quantization.scales.count > 1 {
      guard let place = order.firstIndex(of: quantization.axis),
        shape[quantization.axis] == quantization.scales.count
      else {
        throw EngineError(
          .invalidModel,
          "tensor '\(name)' has \(quantization.scales.count) scales along axis \(quantization.axis),"
            + " which does not fit its shape \(Shape(shape)).")
      }
      extents[place] = quantization.scales.count
    }
    if codes.count == 0 { return codes }
    // Many tensors may share the lists, which are not copied.
    let scale = Constant(Shape(extents), quantization.scales)
    let zeros: [Int] = quantization.zeros
    let zero: Constant? =
      zeros.allSatisfy { $0 == 0 }
      ? nil : Constant(TensorType(Shape(extents))) { zeros.map { Float($0) } }
    return try Constant.scaled(codes, by: scale, from: zero)
  }
}
