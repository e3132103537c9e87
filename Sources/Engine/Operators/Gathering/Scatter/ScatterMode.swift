import Graph

/// How an update is combined with the current value. **Source:** `ScatterMode`.
public enum ScatterMode: Sendable, Hashable {
  /// The update replaces the value. If several updates have the same index, the last one remains.
  case update
  /// The update is added to the value.
  case add
  /// The update is subtracted from the value.
  case subtract
  /// The value is multiplied by the update.
  case multiply
  /// The value is divided by the update.
  case divide
  /// The result is the larger of the value and the update.
  case maximum
  /// The result is the smaller of the value and the update.
  case minimum

  /// Combines the current value with an update.
  package func combine(_ current: Double, _ value: Double) -> Double {
    switch self {
    case .update: return value
    case .add: return current + value
    case .subtract: return current - value
    case .multiply: return current * value
    case .divide: return current / value
    case .maximum: return max(current, value)
    case .minimum: return min(current, value)
    }
  }
}

extension ScatterMode {
  /// Combines the current integer with an update. Quotients are truncated; a quotient by 0 is 0.
  package func combine(_ current: Int64, _ value: Int64, _ overflow: IntegerOverflow) -> Int64 {
    function?.integer(overflow)?(current, value) ?? value
  }

  /// The function that combines the current value and the update; nil if the update replaces the value.
  private var function: BinaryFunction? {
    switch self {
    case .update: return nil
    case .add: return .add
    case .subtract: return .subtract
    case .multiply: return .multiply
    case .divide: return .divide
    case .maximum: return .maximum
    case .minimum: return .minimum
    }
  }
}

/// An operator that copies its first input and applies the updates in its third input to the copy, at the indices in
/// its second input.
public protocol ScatteringOperator: IntegerOperator {
  /// How an update is combined with the current value.
  var mode: ScatterMode { get }
  /// Whether an integer result that overflows the element type wraps around or saturates.
  var overflow: IntegerOverflow { get }

  /// Calls the closure for every element of the third input, `updates`, in order. Passes two offsets, in elements: that
  /// of the target in the data and that of the update in `updates`. For an index out of range, throws or, if the
  /// operator's ``IndexRule`` allows such indices, skips the update.
  func forEachUpdate(
    of data: Shape, at indices: ReferenceTensor, _ updates: Shape,
    _ body: (_ target: Int, _ update: Int) -> Void) throws
}

extension ScatteringOperator {
  /// Integer results wrap around, unless the operator declares its own `overflow`.
  public var overflow: IntegerOverflow { .wraps }

  /// Returns false for the second input, which holds the indices.
  public func computes(with input: Int) -> Bool { input != 1 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var output = inputs[0]
    try forEachUpdate(of: output.shape, at: inputs[1], inputs[2].shape) { target, update in
      output.values[target] = mode.combine(output.values[target], inputs[2].values[update])
    }
    return [output]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var output = inputs[0]
    let element: ElementType = output.element
    try forEachUpdate(of: output.shape, at: inputs[1], inputs[2].shape) { target, update in
      output.integerValues[target] = element.converted(
        mode.combine(output.integerValues[target], inputs[2].integerValues[update], overflow),
        overflow)
    }
    return [output]
  }
}

/// Throws unless the updates have the expected shape.
package func requireUpdates(_ updates: Shape, _ expected: Shape) throws {
  guard updates == expected else {
    throw EngineError(
      .invalidInput,
      "the updates are \(updates), expected \(expected) for these indices.")
  }
}
