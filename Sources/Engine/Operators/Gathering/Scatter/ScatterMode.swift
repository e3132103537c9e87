import Graph

/// What a scattered value does to the one that is there. **Source:** `ScatterMode`.
public enum ScatterMode: Sendable, Hashable {
  /// Takes its place; the last of several wins.
  case update
  /// Is added.
  case add
  /// Is subtracted.
  case subtract
  /// Is multiplied.
  case multiply
  /// Divides it.
  case divide
  /// Takes its place where greater.
  case maximum
  /// Takes its place where smaller.
  case minimum

  /// The value that stands there afterwards.
  package func combine(_ held: Double, _ value: Double) -> Double {
    switch self {
    case .update: return value
    case .add: return held + value
    case .subtract: return held - value
    case .multiply: return held * value
    case .divide: return held / value
    case .maximum: return max(held, value)
    case .minimum: return min(held, value)
    }
  }
}

extension ScatterMode {
  /// The integer that stands there afterwards. Quotients are cut off towards zero, and 0 where the divisor is.
  package func combine(_ held: Int64, _ value: Int64, _ overflow: IntegerOverflow) -> Int64 {
    function?.whole(overflow)?(held, value) ?? value
  }

  /// What joins the value that is there and another; nil where the other takes its place.
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

/// An operator that changes a copy of its first input where the second says, by the third.
public protocol ScatteringOperator: WholeNumberOperator {
  /// What an update does to the value that is there.
  var mode: ScatterMode { get }
  /// What becomes of integers that the type cannot hold, after each update.
  var overflow: IntegerOverflow { get }

  /// Calls the closure for every update, in their order: its place in the data, and its own. Throws for
  /// an index that does not exist.
  func forEachUpdate(
    of data: Shape, at indices: ReferenceTensor, _ updates: Shape,
    _ body: (_ target: Int, _ update: Int) -> Void) throws
}

extension ScatteringOperator {
  /// The low bits are kept unless an operator says otherwise.
  public var overflow: IntegerOverflow { .wraps }

  /// The second input says where.
  public func computes(with input: Int) -> Bool { input != 1 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var output = inputs[0]
    try forEachUpdate(of: output.shape, at: inputs[1], inputs[2].shape) { target, update in
      output.values[target] = mode.combine(output.values[target], inputs[2].values[update])
    }
    return [output]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var output = inputs[0]
    let element: ElementType = output.element
    try forEachUpdate(of: output.shape, at: inputs[1], inputs[2].shape) { target, update in
      output.wholes[target] = element.kept(
        mode.combine(output.wholes[target], inputs[2].wholes[update], overflow), overflow)
    }
    return [output]
  }
}

/// Checks the shape of what is scattered.
package func requireUpdates(_ updates: Shape, _ expected: Shape) throws {
  guard updates == expected else {
    throw EngineError(
      .invalidInput,
      "the updates are \(updates), expected \(expected) for these indices.")
  }
}
