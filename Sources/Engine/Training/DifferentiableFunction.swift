import Engine
import Operators

/// A loss and its gradient as a function of a graph's inputs, for L-BFGS and other minimisers.
///
/// The initialiser plans the function once. A function must not be used from two threads at the same time.
public final class DifferentiableFunction {
  /// The names of the values that ``evaluate(_:)`` reports: the loss, then the initialiser's argument `reporting`.
  public let reportNames: [String]
  private let planned: PlannedGraph
  private let inputCount: Int

  /// Plans the function and its gradient.
  ///
  /// - Parameters:
  ///   - graph: A graph whose inputs have types.
  ///   - loss: The value to minimise, which has one element.
  ///   - reporting: Further values to report, each with one element.
  ///   - variables: The values for which to compute gradients.
  ///   - options: The precision, the number of threads and the memory limit of the plan.
  /// - Throws: an `EngineError` that names a layer without a gradient, or that states that the plan does not fit into
  ///   memory.
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

  /// The working memory of the plan, in bytes.
  public var arenaByteCount: Int { planned.arenaByteCount }
  /// The plan by which this machine computes the function, for listings.
  public var plan: Plan { planned.plan }

  /// Computes the reported values and one gradient per variable. Inputs and gradients are in row-major order.
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
