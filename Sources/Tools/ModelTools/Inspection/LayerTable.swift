import Engine
import ModelFormat

/// The layers of a model with their parameters, as in Keras' `model.summary()`. `atelier inspect --stage layers` prints
/// this table.
public struct LayerTable: Encodable, Sendable {
  /// A layer.
  public struct Row: Encodable, Sendable {
    /// The name of the layer in the model.
    public let name: String
    /// The kind of the layer as the specification names it, or the class of a custom layer.
    public let kind: String
    /// The outputs of the layer.
    public let outputs: [ListedTensor]
    /// The number of the layer's parameters.
    public let parameterCount: Int
    /// The number of updatable parameters.
    public let updatableCount: Int
    /// The names of the layer's inputs.
    public let inputs: [String]
  }

  /// The name of the file, or of a stage in a pipeline.
  public let file: String
  /// The layers in the order in which they run.
  public let rows: [Row]
  /// The number of parameters of all layers.
  public let parameterCount: Int
  /// The number of updatable parameters.
  public let updatableCount: Int
  /// The tables of a pipeline's models. Empty for other models.
  public let stages: [LayerTable]

  /// Lists the layers of a file. Throws ``ModelToolsError`` for a model that has no layers.
  public init(_ file: ModelFile, makeCustomLayer: @escaping CustomLayerFactory) throws {
    let graph: Graph? = try? InspectedNetwork(file, makeCustomLayer: makeCustomLayer)
      .declaredGraph()
    self.init(file.model, name: file.name.trimmingCharacters(in: ["'"]), graph: graph)
    guard !rows.isEmpty || !stages.isEmpty else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName), which has no layers to list."
          + " `atelier inspect` without --stage shows the content of the file.")
    }
  }

  /// Lists a graph with inferred shapes. The graph comes from an ML Program or from a format other than Core ML's,
  /// such as ONNX. The constants that an operation reads are its parameters, except integers and Booleans, which are
  /// settings such as axes. A constant that several operations read is counted for the first of them.
  public init(_ graph: Graph, name: String) {
    file = name
    var counted: Set<Int> = []
    rows = graph.nodes.map { node in
      let constants = node.inputs.filter { input in
        guard let constant = graph[input].constant else { return false }
        return ![.int32, .int64, .bool].contains(constant.type.element)
          && counted.insert(input.index).inserted
      }
      return Row(
        name: node.name, kind: node.operation.name,
        outputs: node.outputs.map { ListedTensor(graph[$0]) },
        parameterCount: constants.reduce(0) { $0 + (graph[$1].constant?.type.shape.count ?? 0) },
        updatableCount: 0,
        inputs: node.inputs.filter { graph[$0].constant == nil }.map { graph[$0].name })
    }
    parameterCount = rows.reduce(0) { $0 + $1.parameterCount }
    updatableCount = 0
    stages = []
  }

  private init(_ model: Spec.Model, name: String, graph: Graph?) {
    file = name
    var types: [String: TensorType] = [:]
    if let graph {
      for value in graph.values { types[value.name] = value.type }
    }
    rows = model.neuralLayers.map { Row($0, types) }
    stages = (model.stages ?? []).map { LayerTable($0.model, name: $0.name, graph: nil) }
    parameterCount =
      rows.reduce(0) { $0 + $1.parameterCount } + stages.reduce(0) { $0 + $1.parameterCount }
    updatableCount =
      rows.reduce(0) { $0 + $1.updatableCount } + stages.reduce(0) { $0 + $1.updatableCount }
  }
}

extension LayerTable.Row {
  fileprivate init(_ layer: Spec.NeuralNetworkLayer, _ types: [String: TensorType]) {
    name = layer.name
    if case .custom(let custom)? = layer.layer {
      kind = custom.className
    } else {
      kind = layer.layer?.fieldName ?? "unknown"
    }
    outputs = layer.output.map { ListedTensor(name: $0, types[$0]) }
    inputs = layer.input
    var weights = ModelSummary.Weights()
    layer.layer.map { weights.add(allIn: $0) }
    parameterCount = weights.count
    updatableCount = layer.isUpdatable ? weights.updatableCount : 0
  }
}

extension InspectedNetwork {
  /// Runs shape inference with the declared types of the inputs, and returns the graph.
  fileprivate func declaredGraph() throws -> Graph { try typedGraph(for: try inputTypes()) }
}
