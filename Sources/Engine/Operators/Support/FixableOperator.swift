import Graph

/// An operator that reads a shape, bounds or a number of elements from inputs. For each such operator there is a second
/// operator, which computes the same result but stores these numbers as parameters.
///
/// If the values of these inputs are known during planning, a pass replaces the first operator by the second, which has
/// faster kernels. The operators that computed the inputs can then be removed.
public protocol FixableOperator: Operator {
  /// Returns the operator that stores the values of the last inputs as parameters and reads only the first inputs. Nil
  /// if one of the values is not known.
  ///
  /// - Parameter output: the type of the first output, which the inputs determine.
  func fixed(by inputs: [OperatorInput], output: TensorType) throws -> FixedOperator?
}

/// The operator that replaces a ``FixableOperator``.
public struct FixedOperator: Sendable {
  /// The operator with parameters.
  public let operation: any Operator
  /// The number of leading inputs that the operator reads.
  public let inputCount: Int

  /// Creates a replacement that reads this many of the first inputs.
  public init(_ operation: any Operator, inputCount: Int) {
    self.operation = operation
    self.inputCount = inputCount
  }
}

extension CropOperator: FixableOperator {
  /// Returns a crop by constant amounts. A crop to the size of a second image reads only the second image's shape, so
  /// after the replacement no memory is needed for the second image.
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
