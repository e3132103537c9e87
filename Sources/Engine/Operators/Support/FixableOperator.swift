import Graph

/// An operator that reads from inputs what another operator has as parameters: a shape, bounds, a number of
/// elements.
///
/// Where those inputs are known when a plan is made, a pass puts the other operator in its place, which has
/// faster kernels and lets what computed them go.
public protocol FixableOperator: Operator {
  /// The operator with parameters, which reads as many of the first inputs as said; nil where a value is not
  /// known.
  ///
  /// - Parameter output: the type of the first output, which follows from the inputs.
  func fixed(by inputs: [OperatorInput], output: TensorType) throws -> FixedOperator?
}

/// An operator in the place of a ``FixableOperator``.
public struct FixedOperator: Sendable {
  /// The operator.
  public let operation: any Operator
  /// How many of the first inputs it reads.
  public let inputCount: Int

  /// An operator that reads so many of the first inputs.
  public init(_ operation: any Operator, inputCount: Int) {
    self.operation = operation
    self.inputCount = inputCount
  }
}

extension CropOperator: FixableOperator {
  /// A crop to another picture's size has no use for that picture, which need not be kept for it.
  public func fixed(by inputs: [OperatorInput], output: TensorType) throws -> FixedOperator? {
    guard referenceOffset != nil else { return nil }
    return FixedOperator(
      CropOperator(amounts: try amounts(for: inputs.map(\.shape))), inputCount: 1)
  }
}

extension ReshapeDynamicOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      ReshapeStaticOperator(targetShape: output.shape.dimensions), inputCount: 1)
  }
}

extension ReshapeLikeOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      ReshapeStaticOperator(targetShape: output.shape.dimensions), inputCount: 1)
  }
}

extension BroadcastToDynamicOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      BroadcastToStaticOperator(targetShape: output.shape.dimensions), inputCount: 1)
  }
}

extension BroadcastToLikeOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      BroadcastToStaticOperator(targetShape: output.shape.dimensions), inputCount: 1)
  }
}

extension FillDynamicOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      FillStaticOperator(value: value, targetShape: output.shape.dimensions), inputCount: 0)
  }
}

extension FillLikeOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    FixedOperator(
      FillStaticOperator(value: value, targetShape: output.shape.dimensions), inputCount: 0)
  }
}

extension TileOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    guard repetitions == nil, let counts = inputs[1].integers else { return nil }
    return FixedOperator(TileOperator(repetitions: counts), inputCount: 1)
  }
}

extension SliceDynamicOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) throws -> FixedOperator? {
    let known: [[Int]] = inputs.dropFirst().compactMap(\.integers)
    guard known.count == inputs.count - 1 else { return nil }
    return FixedOperator(
      SliceStaticOperator(slices: try slices(inputs[0].shape, known)), inputCount: 1)
  }
}

extension SliceBySizeOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) throws -> FixedOperator? {
    guard let given = inputs[1].integers?.first else { return nil }
    let shape: Shape = inputs[0].shape
    let axis: Int = try shape.axis(axis)
    let begin: Int = try begin(given, shape, axis: axis)
    var slices = [AxisSlice](repeating: AxisSlice(), count: shape.rank)
    slices[axis] = AxisSlice(begin: begin, end: begin + size)
    return FixedOperator(SliceStaticOperator(slices: slices), inputCount: 1)
  }
}

extension OneHotOperator: FixableOperator {
  public func fixed(by inputs: [OperatorInput], output: TensorType) -> FixedOperator? {
    guard vectorSize == nil, let size = inputs[1].integers?.first else { return nil }
    return FixedOperator(
      OneHotOperator(vectorSize: size, axis: axis, onValue: onValue, offValue: offValue),
      inputCount: 1)
  }
}
