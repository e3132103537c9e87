import Graph
import ModelFormat

/// A function of an ML Program as a graph, and what crosses its border.
public struct ProgramGraph: Sendable {
  /// A value at the border.
  public struct Port: Sendable {
    /// The name in the program.
    public let name: String
    /// The element type that the program writes, and the one in which the graph holds it.
    public let written: ElementType
    public var held: ElementType { written.held }
    /// The extents that the program writes; nil where any extent will do.
    public let extents: [Int?]
  }

  /// A tensor that is kept between predictions: an input of the graph and an output.
  public struct State: Sendable {
    /// Name and type.
    public let port: Port
    /// The position among the graph's inputs.
    public let input: Int
    /// The position among the graph's outputs; nil for a state that the function only reads.
    public let output: Int?
  }

  /// What the function computes; the states are its last inputs and outputs.
  public var graph = Graph()
  /// The inputs but for states, in the order of the graph's.
  public private(set) var inputs: [Port] = []
  /// The outputs but for states and what a classifier makes, in the order of the graph's.
  public private(set) var outputs: [Port] = []
  /// The states.
  public private(set) var states: [State] = []
  package private(set) var classification: ProgramClassification?

  /// The graph of a function.
  ///
  /// - Parameters:
  ///   - function: The name; a program with one function calls it `main`.
  ///   - blobs: Opens a weight file by the name that the program gives it.
  /// - Throws: ``EngineError`` that names the operation, for unknown operations, wrong values, names that
  ///   nothing makes.
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
          .unsupported, "Input '\(input.name)' of function '\(function)' is no tensor.")
      }
      let port = Port(name: input.name, written: type.element, extents: extents)
      if type.kind == .tensor {
        builder.bind(input.name, to: .tensor(builder.addInput(input.name, type)))
        inputs.append(port)
      } else {
        let tensor = ProgramTensor(builder.graph.addValue(input.name), type.element, extents)
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
          "The output '\(name)' of function '\(function)' is made by none of its operations.")
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
    builder.graph.kept = states.map { Graph.Kept(input: $0.input, output: $0.output) }
    graph = builder.graph
  }

  /// The block to run: that of the function's opset.
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
        "Function '\(name)' is written in the operations of \(function.opset), expected CoreML3 to CoreML9."
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

  /// The classes in the order of the probabilities; nil for what is no classifier.
  public var classes: Classes? { classification?.classes }

  /// Makes a classifier's probabilities an output of the graph; its position.
  public mutating func addProbabilities() -> Int {
    guard let probabilities = classification?.probabilities else { return 0 }
    if let known = graph.outputs.firstIndex(of: probabilities) { return known }
    graph.outputs.append(probabilities)
    return graph.outputs.count - 1
  }
}
