import Graph

/// An operator that knows the gradient of its inputs, as a graph of other operators.
///
/// Conformances live beside the operator in `X+Gradient.swift`. The rule is reverse mode: from
/// `∂loss/∂output` it makes `∂loss/∂input`. What it adds is planned, fused and placed in memory like any
/// other operator, and the conformance tests compare it with central differences of its definition.
///
/// **Source:** Griewank and Walther, “Evaluating Derivatives” (2008), chapter 3.
public protocol DifferentiableOperator: Operator {
  /// Adds what computes the gradients of the inputs; one entry an input, nil where it has none or
  /// ``GradientContext/isWanted`` says that nobody asks.
  ///
  /// Gradients have the shapes of their inputs. Throws `unsupported` for options that have no rule.
  func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?]
}

/// What a gradient rule sees of the graph, and how it adds to it.
public struct GradientContext {
  /// The graph that grows.
  public private(set) var graph: Graph
  /// The operator's node: its name, inputs and outputs.
  public let node: Graph.Node
  /// `∂loss/∂output`, one an output; nil for outputs on which the loss does not depend.
  public let outputGradients: [Graph.ValueID?]
  /// Whether the gradient of each input is asked for.
  public let isWanted: [Bool]

  package init(
    graph: consuming Graph, node: Graph.Node, outputGradients: [Graph.ValueID?], isWanted: [Bool]
  ) {
    self.graph = graph
    self.node = node
    self.outputGradients = outputGradients
    self.isWanted = isWanted
  }

  /// The gradient of the first output. There is one: rules are not asked for what the loss ignores.
  public var outputGradient: Graph.ValueID {
    guard let gradient = outputGradients.compactMap({ $0 }).first else {
      preconditionFailure("a rule was asked without a gradient")
    }
    return gradient
  }

  /// The operator's inputs.
  public var inputs: [Graph.ValueID] { node.inputs }
  /// The operator's first output.
  public var output: Graph.ValueID { node.outputs[0] }

  /// The shape of a value. Shapes are all known: differentiation refuses graphs where they are not.
  public func shape(of value: Graph.ValueID) -> Shape { graph[value].type?.shape ?? [] }

  /// Adds an operator with one output.
  public mutating func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws
    -> Graph.ValueID
  {
    try graph.apply(operation, to: inputs, name: "\(node.name) gradient")
  }

  /// Adds an operator with any number of inputs and outputs.
  public mutating func add(_ operation: any Operator, to inputs: [Graph.ValueID], outputs: Int)
    throws
    -> [Graph.ValueID]
  {
    try graph.apply(operation, to: inputs, outputs: outputs, name: "\(node.name) gradient")
  }

  /// Adds a constant.
  public mutating func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    graph.addConstant(tensor, name: "\(node.name) constant")
  }

  /// The gradient of an input that was broadcast to a larger shape: the sum over what was repeated.
  public mutating func unbroadcast(_ gradient: Graph.ValueID, to shape: Shape) throws
    -> Graph.ValueID
  {
    let from = self.shape(of: gradient)
    guard from != shape else { return gradient }
    let added: Int = from.rank - shape.rank
    var axes: [Int] = Array(0..<added)
    for axis in 0..<shape.rank where shape[axis] == 1 && from[axis + added] != 1 {
      axes.append(axis + added)
    }
    var result = gradient
    if !axes.isEmpty {
      result = try add(ReduceAxesOperator(.sum, axes: axes, keepsAxes: true), result)
    }
    return self.shape(of: result) == shape
      ? result : try add(ReshapeStaticOperator(targetShape: shape.dimensions), result)
  }
}
