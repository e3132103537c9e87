import Engine
import OperatorSamples
import Operators

extension SampleGraph {
  /// Casts, reshapes and clamps a value for use as an operand. Nil if the value cannot be fitted.
  ///
  /// - Parameter isMoved: whether the operator only moves this operand, so that the operand may have any value.
  mutating func fitted(
    _ value: Value, to input: SampleFragment.Input, isMoved: Bool, mustBeExact: Bool
  ) throws -> Value? {
    let target = input.type
    guard (1...8).contains(target.shape.rank), target.shape.count > 0 else { return nil }
    if case .values = input.fill, !isMoved { return nil }
    var value = value
    let isCast: Bool = value.type.element != target.element
    if value.shadow != nil, mustBeExact || isCast && target.element.isInteger {
      guard let steps = try quantized(value) else { return nil }
      value = steps
    }
    value = try reshaped(value, to: target.shape)
    if isCast {
      if target.element == .uint64 || target.element == .uint32, value.type.element != .bool {
        value = try magnitude(value)
      }
      value = try add(CastOperator(to: target.element), [value])[0]
    }
    if isMoved { return mustBeExact && value.shadow != nil ? nil : value }
    value = try ranged(value, input.fill, mustBeExact)
    return mustBeExact && value.shadow != nil ? nil : value
  }

  /// Adds an operator that bounds the value and makes it non-negative, so that unsigned types can represent it.
  private mutating func magnitude(_ value: Value) throws -> Value {
    if value.type.element.isInteger {
      return try add(BinaryFunctionOperator(.modulo, number: 100), [value])[0]
    }
    return try add(ClipOperator(minimum: 0, maximum: 100), [value])[0]
  }

  /// Takes as many elements as the shape has. If the value has fewer elements, repeats it.
  private mutating func reshaped(_ value: Value, to shape: Shape) throws -> Value {
    var value = value
    if value.type.shape == shape { return value }
    let count: Int = value.type.shape.count
    if count != shape.count {
      value = try add(ReshapeStaticOperator(targetShape: [count]), [value])[0]
      if count < shape.count {
        let times: Int = (shape.count + count - 1) / count
        value = try add(TileOperator(repetitions: [times]), [value])[0]
      }
      if value.type.shape.count != shape.count {
        value = try add(
          SliceStaticOperator(slices: [AxisSlice(begin: 0, end: shape.count)]), [value])[0]
      }
    }
    guard value.type.shape != shape else { return value }
    return try add(ReshapeStaticOperator(targetShape: shape.dimensions), [value])[0]
  }

  private mutating func ranged(
    _ value: Value, _ fill: OperatorSample.Fill, _ mustBeExact: Bool
  ) throws -> Value {
    let element: ElementType = value.type.element
    guard element != .bool else { return value }
    switch fill {
    case .values: return value
    case .uniform(let range):
      if element.isInteger {
        let low = max((range.lowerBound * 4).rounded(.up), element == .uint8 ? 0 : -99)
        let high = max(low, (range.upperBound * 4).rounded(.down))
        return try wrapped(value, Int(low)...Int(high))
      }
      let (low, high) = (Float(range.lowerBound), Float(range.upperBound))
      if mustBeExact || low == -1 && high == 1 {
        // The bounds are rounded to bfloat16 numbers, which every floating-point type for storage can represent.
        let clip = ClipOperator(
          minimum: Float(BFloat16.nearest(to: Double(low))),
          maximum: Float(BFloat16.nearest(to: Double(high))))
        return try add(clip, [value])[0]
      }
      let unit = try add(ClipOperator(minimum: -1, maximum: 1), [value])[0]
      let wide = try add(
        BinaryFunctionOperator(.multiply, number: (high - low) / 2), [unit], tolerance: .rounding)
      return try add(
        BinaryFunctionOperator(.add, number: (high + low) / 2), wide, tolerance: .rounding)[0]
    case .integers(let range):
      if element.isInteger { return try wrapped(value, range) }
      let small = try add(ClipOperator(minimum: -100, maximum: 100), [value])
      return try wrapped(try add(UnaryFunctionOperator(.floor), small)[0], range)
    }
  }

  /// Maps integers into a range by computing remainders.
  private mutating func wrapped(_ value: Value, _ range: ClosedRange<Int>) throws -> Value {
    let rest = try add(
      BinaryFunctionOperator(.modulo, number: Float(range.count)), [value])
    guard range.lowerBound != 0 else { return rest[0] }
    let isUnsigned: Bool = value.type.element.integerRange?.lowerBound == 0
    if isUnsigned, range.lowerBound < 0 { return rest[0] }
    return try add(BinaryFunctionOperator(.add, number: Float(range.lowerBound)), rest)[0]
  }

  /// Clamps a float32 value to −8…8 and rounds it down to a multiple of ¼. The rounding removes the small errors that
  /// kernels introduce, so plans must match the result exactly. Nil if an element is so close to a multiple of ¼ that
  /// such an error could change the result.
  private mutating func quantized(_ value: Value) throws -> Value? {
    guard let shadow = value.shadow, value.type.element == .float32 else { return nil }
    for (number, other) in zip(value.tensor.values, shadow.values) {
      let (four, error) = (4 * number, 4 * abs(number - other))
      guard abs(four - four.rounded()) > 16 * error + 1e-5, abs(number) < 1000 else { return nil }
    }
    let clipped = try add(ClipOperator(minimum: -8, maximum: 8), [value])
    let four = try add(BinaryFunctionOperator(.multiply, number: 4), clipped, tolerance: .rounding)
    let floor = try add(UnaryFunctionOperator(.floor), four)[0]
    let steps = Value(id: floor.id, tensor: floor.tensor, shadow: nil)
    return try add(BinaryFunctionOperator(.multiply, number: 0.25), [steps])[0]
  }
}
