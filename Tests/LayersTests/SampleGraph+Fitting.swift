import Engine
import OperatorSamples
import Operators

extension SampleGraph {
  /// A value cast, reshaped and brought into the range that an operand wants; nil where that cannot be.
  ///
  /// - Parameter isMoved: whether any number will do.
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

  /// In numbers that types without a sign hold.
  private mutating func magnitude(_ value: Value) throws -> Value {
    if value.type.element.isInteger {
      return try add(BinaryFunctionOperator(.modulo, number: 100), [value])[0]
    }
    return try add(ClipOperator(minimum: 0, maximum: 100), [value])[0]
  }

  /// As many elements as the shape has, the first ones or repeated.
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
        // Rounded inwards, so that the bounds can be held.
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

  /// Whole numbers of a range, by remainders.
  private mutating func wrapped(_ value: Value, _ range: ClosedRange<Int>) throws -> Value {
    let rest = try add(
      BinaryFunctionOperator(.modulo, number: Float(range.count)), [value])
    guard range.lowerBound != 0 else { return rest[0] }
    let isUnsigned: Bool = value.type.element.integerRange?.lowerBound == 0
    if isUnsigned, range.lowerBound < 0 { return rest[0] }
    return try add(BinaryFunctionOperator(.add, number: Float(range.lowerBound)), rest)[0]
  }

  /// Quarters, which plans give exactly where no element is near to a step; nil where one is.
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
