/// An operator that decides which nodes run: a branch, a loop, or what leaves one early.
///
/// It computes nothing itself. What its node runs are the node's regions, by the operator's rule; which
/// of the outputs exist is known when the network runs.
public protocol ControlOperator: Operator {
  /// Which regions run, and when.
  var rule: ControlRule { get }
}

/// What a node with regions does.
public enum ControlRule: Sendable, Hashable {
  /// Inputs: a condition, then the arguments of both regions. Two regions: the one that runs when the
  /// condition is true, and the other. Outputs: those of the region that ran.
  case branch
  /// Inputs: the most turns where the rule says so, then the arguments of all regions, the carried ones
  /// first. Outputs: the carried arguments as they are in the end.
  case loop(LoopRule)
  /// Leaves the region, and those around it as far as the loop. No inputs, outputs or regions.
  case leave(RegionExit)
}

/// What ends a loop:
///
///     turns = 0
///     while turns < most and condition() is true { body(); turns += 1 }
///
/// Its last region is the body, whose outputs are the carried arguments of the next turn. Where there
/// is a condition it is the first region; its outputs are the condition and then the carried arguments.
public struct LoopRule: Sendable, Hashable {
  /// Whether the first region is a condition.
  public var hasCondition: Bool
  /// Whether the node's first input is the most turns, in place of ``most``.
  public var countsByInput: Bool
  /// The most turns; nil when only the condition ends the loop.
  public var most: Int?

  /// A rule.
  public init(hasCondition: Bool, countsByInput: Bool = false, most: Int? = nil) {
    self.hasCondition = hasCondition
    self.countsByInput = countsByInput
    self.most = most
  }
}

extension ControlOperator {
  /// Constants are not folded through what may run for minutes; a region may draw random numbers.
  public static var isDeterministic: Bool { false }

  /// Known only by running.
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { nil }

  /// Its regions are the node's, so that the node alone can be computed:
  /// ``Graph/definition(_:loopLimit:)``.
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    throw EngineError(.unsupported, "the operator runs regions, which its node holds.")
  }
}

extension Graph.Node {
  /// The rule of a node that decides what runs; nil for those that compute.
  package var control: ControlRule? { (operation as? any ControlOperator)?.rule }

  /// An error that a value does not exist on the way that was taken.
  package func missing(_ value: String) -> EngineError {
    EngineError(
      .invalidModel,
      "Layer '\(name)' reads '\(value)', which no layer has made on the way that was taken through the network's branches and loops."
    )
  }
}
