import Graph

/// An operator with a gradient rule. The rule adds the operators that compute the gradients to a graph.
///
/// Rules are in files named `…+Gradient.swift`, next to the operators. A rule is a step of reverse-mode
/// differentiation: from `∂loss/∂output` it computes `∂loss/∂input`. The engine fuses the added operators and plans
/// their memory as it does for all operators. The conformance tests compare the rule with central differences of the
/// operator's reference implementation.
///
/// **Source:** Griewank and Walther, “Evaluating Derivatives” (2008), chapter 3.
public protocol DifferentiableOperator: Operator {
  /// Adds the operators that compute the gradients of the inputs. Returns one gradient per input. An entry is nil if
  /// the input has no gradient or ``GradientContext/isWanted`` is false for the input.
  ///
  /// Gradients have the shapes of their inputs. Throws `unsupported` if the rule does not support the operator's
  /// parameters.
  func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?]
}

/// The context of a gradient rule: the graph, the operator's node and the gradients of its outputs. The rule adds
/// operators to the graph with methods of this type.
public struct GradientContext {
  /// The graph to which operators are added.
  public private(set) var graph: Graph
  /// The node of the operator whose gradients the rule computes.
  public let node: Graph.Node
  /// `∂loss/∂output` for each output; nil for outputs on which the loss does not depend.
  public let outputGradients: [Graph.ValueID?]
  /// For each input, whether its gradient is needed.
  public let isWanted: [Bool]

  package init(
    graph: consuming Graph, node: Graph.Node, outputGradients: [Graph.ValueID?], isWanted: [Bool]
  ) {
    self.graph = graph
    self.node = node
    self.outputGradients = outputGradients
    self.isWanted = isWanted
  }

  /// The gradient of the first output that has a gradient. At least one output has a gradient, because a rule is called
  /// only if the loss depends on an output.
  public var outputGradient: Graph.ValueID {
    guard let gradient = outputGradients.compactMap({ $0 }).first else {
      preconditionFailure("a rule was called without an output gradient")
    }
    return gradient
  }

  /// The operator's inputs.
  public var inputs: [Graph.ValueID] { node.inputs }
  /// The operator's first output.
  public var output: Graph.ValueID { node.outputs[0] }

  /// Returns the shape of a value. All shapes are known, because differentiation rejects graphs with unknown shapes.
  public func shape(of value: Graph.ValueID) -> Shape { graph[value].type?.shape ?? [] }

  /// Adds an operator with one output, and returns that output.
  public mutating func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws
    -> Graph.ValueID
  {
    try graph.apply(operation, to: inputs, name: "\(node.name) gradient")
  }

  /// Adds an operator with any number of inputs and outputs, and returns its outputs.
  public mutating func add(_ operation: any Operator, to inputs: [Graph.ValueID], outputs: Int)
    throws
    -> [Graph.ValueID]
  {
    try graph.apply(operation, to: inputs, outputs: outputs, name: "\(node.name) gradient")
  }

  /// Adds a constant to the graph, and returns the graph value that holds it.
  public mutating func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    graph.addConstant(tensor, name: "\(node.name) constant")
  }

  /// Returns the gradient of an input of the given shape: sums `gradient` over the axes along which the input was
  /// broadcast.
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
