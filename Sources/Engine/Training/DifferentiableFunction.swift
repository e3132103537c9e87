import Engine
import Operators

/// A loss of a graph's inputs, with its gradient: what L-BFGS and other minimisers ask for.
///
/// Planned once. Not for two threads at once.
public final class DifferentiableFunction {
  /// The names of what ``evaluate(_:)`` reports: the loss, then what was asked for beside it.
  public let reportNames: [String]
  private let planned: PlannedGraph
  private let inputCount: Int

  /// A function.
  ///
  /// - Parameters:
  ///   - graph: inputs with their types.
  ///   - loss: a value of one number.
  ///   - reporting: values of one number that are returned beside the loss.
  ///   - variables: what to differentiate by.
  ///   - options: precision, threads and memory.
  /// - Throws: `EngineError` naming a layer that has no gradient, or a plan that does not fit the memory.
  public init(
    _ graph: Graph, loss: Graph.ValueID, reporting: [Graph.ValueID] = [],
    withRespectTo variables: [Graph.ValueID], options: ExecutionOptions = ExecutionOptions()
  ) throws {
    reportNames = ([loss] + reporting).map { graph[$0].name }
    inputCount = graph.inputs.count
    var whole = graph
    let gradients = try whole.differentiate(loss, withRespectTo: variables)
    whole.outputs = [loss] + reporting + gradients
    planned = try PlannedGraph(whole, options: options)
  }

  /// The memory that an evaluation works in, in bytes.
  public var arenaByteCount: Int { planned.arenaByteCount }
  /// How the machine computes it, for listings.
  public var plan: Plan { planned.plan }

  /// The loss with what is reported beside it, and one gradient a variable, at row-major inputs.
  public func evaluate(_ inputs: [[Float]]) throws -> (report: [Float], gradients: [[Float]]) {
    precondition(inputs.count == inputCount, "\(inputs.count) inputs, expected \(inputCount)")
    for (index, values) in inputs.enumerated() {
      values.withUnsafeBufferPointer { planned.write(index, $0) }
    }
    try planned.run()
    let count: Int = reportNames.count
    return (
      try (0..<count).map { try planned.read($0)[0] },
      try (count..<planned.plan.outputs.count).map { try planned.read($0) }
    )
  }
}
