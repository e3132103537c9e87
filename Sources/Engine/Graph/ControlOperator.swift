/// An operator that decides which nodes run: a branch, a loop, or an early exit.
///
/// A control operator computes no values. Its ``rule`` states which regions of its node run. An output of the node may
/// exist in one run and be missing in another.
public protocol ControlOperator: Operator {
  /// The rule that states which regions run, and when.
  var rule: ControlRule { get }
}

/// The behaviour of a node with regions.
public enum ControlRule: Sendable, Hashable {
  /// There are two regions. The first input is a condition: if it is true, the first region runs, otherwise the second.
  /// The remaining inputs are the arguments of both regions. The outputs are the outputs of the region that ran.
  case branch
  /// The first input is the maximum number of iterations if the rule says so. The other inputs are the arguments of all
  /// regions. They begin with the carried arguments, which each iteration passes to the next with new values. The
  /// outputs are the final values of the carried arguments.
  case loop(LoopRule)
  /// Ends the region and the regions around it, up to and including the body of the innermost loop. There are no
  /// inputs, outputs or regions.
  case leave(RegionExit)
}

/// The rule by which a loop ends:
///
///     iterations = 0
///     while condition() is true and iterations < most { body(); iterations += 1 }
///
/// The last region is the body. Its outputs are the carried arguments of the next iteration. If there is a condition,
/// it is the first region. Its outputs are the condition and then the carried arguments.
public struct LoopRule: Sendable, Hashable {
  /// Whether the first region is a condition.
  public var hasCondition: Bool
  /// Whether the node's first input is the maximum number of iterations. If not, ``most`` is this maximum.
  public var countsByInput: Bool
  /// The maximum number of iterations; nil if only the condition ends the loop.
  public var most: Int?

  /// Creates a rule.
  public init(hasCondition: Bool, countsByInput: Bool = false, most: Int? = nil) {
    self.hasCondition = hasCondition
    self.countsByInput = countsByInput
    self.most = most
  }
}

extension ControlOperator {
  /// False, because constant folding must not run a loop that may take minutes, and because a region may draw random
  /// numbers.
  public static var isDeterministic: Bool { false }

  /// Nil, because the types are known only when the network runs.
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { nil }

  /// Throws, because the regions belong to the node and not to the operator. ``Graph/definition(_:loopLimit:)``
  /// computes a node with its regions.
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    throw EngineError(.unsupported, "the operator runs regions, which its node holds.")
  }
}

extension Graph.Node {
  /// The rule of a control node; nil for a node that computes values.
  package var control: ControlRule? { (operation as? any ControlOperator)?.rule }

  /// Returns the error for a value that a node reads, but that no layer made in the branches and loops that ran.
  package func missing(_ value: String) -> EngineError {
    EngineError(
      .invalidModel,
      "Layer '\(name)' reads '\(value)', which no layer made in the branches and loops that ran."
    )
  }
}
