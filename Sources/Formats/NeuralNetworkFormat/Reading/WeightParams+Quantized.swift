import Graph
import ModelFormat

extension Spec.WeightParams {
  /// Returns quantised values as a constant. The constant stores the file's integers with their lookup table, or with
  /// their scales and zero points. Nil if the values are not quantised or are damaged, or if scales and zero points
  /// cannot express them. In these cases the caller decodes the values, and decoding reports what is wrong.
  ///
  /// - Parameters:
  ///   - shape: The shape of the values. It determines the number of values.
  ///   - channelAxis: The axis to which per-channel scales and biases belong.
  func quantizedConstant(_ shape: Shape, channelAxis: Int) throws -> Constant? {
    guard let quantization, let (integers, bits) = storedIntegers(shape) else { return nil }
    let constant = Constant(TensorType(shape), integers)
    let ones = [Int](repeating: 1, count: shape.rank)
    switch quantization.quantizationType {
    case .lookupTableQuantization(let table)?:
      guard storage == .quantized, table.floatValue.count >= 1 << bits else { return nil }
      let values: [Float] = Array(table.floatValue.array().prefix(1 << bits))
      return try .lookedUp(constant, in: Constant(Shape(ones + [values.count, 1]), values))
    case .linearQuantization(let linear)?:
      let (scale, bias) = (linear.scale.array(), linear.bias.array())
      let count: Int = max(scale.count, bias.count)
      guard count == 1 || (shape.rank > channelAxis && count == shape[channelAxis]),
        [1, count].contains(scale.count), [0, 1, count].contains(bias.count)
      else { return nil }
      var extents: [Int] = ones
      if count > 1 { extents[channelAxis] = count }
      let scales: [Float] = scale.count == count ? scale : Array(repeating: scale[0], count: count)
      guard bias.contains(where: { $0 != 0 }) else {
        return try .scaled(constant, by: Constant(Shape(extents), scales))
      }
      let zeros: [Float] = scales.enumerated().map { index, factor in
        -bias[bias.count == 1 ? 0 : index] / factor
      }
      guard zeros.allSatisfy(\.isFinite) else { return nil }
      return try .scaled(
        constant, by: Constant(Shape(extents), scales), from: Constant(Shape(extents), zeros))
    case nil: return nil
    }
  }

  /// Returns the stored integers and their width in bits. Nil if there are no valid integers.
  private func storedIntegers(_ shape: Shape) -> (StoredValues, Int)? {
    if storage == .int8 { return (StoredValues(int8RawValue, of: .int8), 8) }
    guard storage == .quantized, let bits = quantization?.numberOfBits, (1...8).contains(bits)
    else { return nil }
    let elements: [UInt64: ElementType] = [
      1: .uint1, 2: .uint2, 3: .uint3, 4: .uint4, 6: .uint6, 8: .uint8,
    ]
    if let element = elements[bits] {
      guard rawValue.count == element.byteCount(of: shape.count) else { return nil }
      return (StoredValues(rawValue, of: element, order: .highestFirst), Int(bits))
    }
    // There is no element type for integers of 5 and 7 bits. So they are unpacked to bytes.
    let (needed, overflows) = shape.count.multipliedReportingOverflow(by: Int(bits))
    guard !overflows, rawValue.count == (needed + 7) / 8 else { return nil }
    return (
      StoredValues(rawValue.unpackedBits(Int(bits), count: shape.count), of: .uint8), Int(bits)
    )
  }
}
