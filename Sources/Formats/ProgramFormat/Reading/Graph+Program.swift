import Graph
import ModelFormat

/// A function of an ML Program as a graph, with its inputs, outputs and states.
public struct ProgramGraph: Sendable {
  /// An input or output of the function.
  public struct Port: Sendable {
    /// The port's name in the program.
    public let name: String
    /// The element type in the program. ``held`` is the type in which the graph stores the elements.
    public let written: ElementType
    public var held: ElementType { written.held }
    /// The extents in the program. A flexible extent is nil.
    public let extents: [Int?]
  }

  /// A state: a tensor that keeps its values between predictions. It is both an input and an output of the graph.
  public struct State: Sendable {
    /// The state's name and type.
    public let port: Port
    /// The state's position among the graph's inputs.
    public let input: Int
    /// The position of the state's new value among the graph's outputs. Nil for a state that the function only reads.
    public let output: Int?
  }

  /// The graph of the function. Its last inputs and outputs are the states.
  public var graph = Graph()
  /// The inputs of the graph that are not states, in the graph's order.
  public private(set) var inputs: [Port] = []
  /// The outputs of the graph that are neither states nor results of a classifier, in the graph's order.
  public private(set) var outputs: [Port] = []
  /// The states of the function.
  public private(set) var states: [State] = []
  package private(set) var classification: ProgramClassification?

  /// Makes the graph of a function.
  ///
  /// - Parameters:
  ///   - function: The name of the function. If a program has only one function, its name is `main`.
  ///   - blobs: Opens a weight file by its name in the program.
  /// - Throws: ``EngineError`` for unknown operations, for wrong values, and for names that no input or operation
  ///   defines. The error names the operation.
  public init(
    _ program: Spec.MILSpec.Program, function: String = "main",
    blobs: @escaping @Sendable (String) throws -> BlobFile,
    makeCustomLayer: @escaping CustomLayerFactory
  ) throws {
    let (message, block, opset) = try Self.block(of: program, function)
    let context = ProgramContext(
      catalog: .standard, blobs: blobs, makeCustomLayer: makeCustomLayer)
    let builder = ProgramBuilder(context, opset: opset)
    var stateInputs: [(port: Port, tensor: ProgramTensor)] = []
    for input in message.inputs {
      guard let type = try WrittenType(input.type), let extents = type.extents,
        type.kind == .tensor || type.kind == .state
      else {
        throw EngineError(
          .unsupported, "Input '\(input.name)' of function '\(function)' is not a tensor.")
      }
      let port = Port(name: input.name, written: type.element, extents: extents)
      if type.kind == .tensor {
        builder.bind(input.name, to: .tensor(builder.addInput(input.name, type)))
        inputs.append(port)
      } else {
        let tensor = ProgramTensor(builder.graph.addValue(input.name), type.element, extents)
        if type.element == .float16 { builder.graph[tensor.id].narrowType = .float16 }
        builder.states[input.name] = tensor
        builder.bind(input.name, to: .state(input.name))
        stateInputs.append((port, tensor))
      }
    }
    builder.graph.inputs += stateInputs.map(\.tensor.id)
    try builder.add(block.operations)
    classification = builder.classification
    for name in block.outputs where classification?.outputs.contains(name) != true {
      guard case .tensor(let tensor)? = builder.lookup(name) else {
        throw EngineError(
          .invalidModel,
          "No operation makes the output '\(name)' of function '\(function)'.")
      }
      builder.graph.outputs.append(tensor.id)
      outputs.append(
        Port(name: name, written: tensor.element, extents: tensor.extents ?? []))
    }
    for (position, state) in stateInputs.enumerated() {
      var output: Int?
      if let newest = builder.states[state.port.name], newest.id != state.tensor.id {
        output = builder.graph.outputs.count
        builder.graph.outputs.append(newest.id)
      }
      states.append(State(port: state.port, input: inputs.count + position, output: output))
    }
    builder.graph.states = states.map { Graph.State(input: $0.input, output: $0.output) }
    graph = builder.graph
  }

  /// Returns the function with this name, the block for the function's opset, and the opset.
  private static func block(of program: Spec.MILSpec.Program, _ name: String) throws -> (
    Spec.MILSpec.Function, Spec.MILSpec.Block, Opset
  ) {
    guard let function = program.functions[name] else {
      let known: String = program.functions.keys.sorted().joined(separator: ", ")
      throw EngineError(
        .invalidModel,
        "The program has no function '\(name)'; it has \(known.isEmpty ? "none" : known).")
    }
    guard let opset = Opset(name: function.opset) else {
      throw EngineError(
        .unsupported,
        "Function '\(name)' uses the opset \(function.opset), expected CoreML3 to CoreML9."
      )
    }
    guard let block = function.blockSpecializations[function.opset] else {
      throw EngineError(
        .invalidModel, "Function '\(name)' has no block for its opset \(function.opset).")
    }
    return (function, block, opset)
  }
}

extension ProgramGraph {
  /// The classes of a classifier.
  public enum Classes: Sendable {
    case strings([String])
    case numbers([Int64])
  }

  /// The classes in the order of the probabilities. Nil if the program is not a classifier.
  public var classes: Classes? { classification?.classes }

  /// Makes the probabilities of a classifier an output of the graph. Returns the position of that output.
  public mutating func addProbabilities() -> Int {
    guard let probabilities = classification?.probabilities else { return 0 }
    if let known = graph.outputs.firstIndex(of: probabilities) { return known }
    graph.outputs.append(probabilities)
    return graph.outputs.count - 1
  }
}
